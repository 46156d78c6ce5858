"""The fixed words of a report, in the language it is written in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """Headings and set phrases of one language."""

    references: str
    findings: str
    """Heading of what was found, where no better one is at hand."""
    gaps: str
    """Heading of what was not found."""
    conflicts: str
    nothing_found: str
    """Said of one part of the question; `{part}` stands for it."""
    no_report: str
    """Said instead of a report when nothing was found at all."""
    unsynthesised: str
    """Said above claims that no writer has put together."""
    verbatim: str
    """Said above sentences that were chosen without a model."""
    incomplete: str
    partly: str
    """Marks a claim that its quote supports in part."""
    disagree: str
    """Joins two statements that contradict each other in their figures."""


_WORDINGS = {
    "en": Wording(
        "References", "Findings", "Not found", "Contradictions", "Nothing was found on: {part}",
        "No evidence was found, so there is no report.",
        "The findings below were checked but not put together by a writer.",
        "These are verbatim sentences from the sources, chosen without a language model.",
        "This report is incomplete.", "partly supported", "but",
    ),
    "de": Wording(
        "Quellen", "Ergebnisse", "Nicht gefunden", "Widersprüche", "Nichts gefunden zu: {part}",
        "Es wurden keine Belege gefunden, deshalb gibt es keinen Bericht.",
        "Die folgenden Ergebnisse sind geprüft, aber von niemandem zusammengefasst.",
        "Dies sind wörtliche Sätze aus den Quellen, ohne Sprachmodell ausgewählt.",
        "Dieser Bericht ist unvollständig.", "teilweise belegt", "aber",
    ),
    "fr": Wording(
        "Sources", "Résultats", "Non trouvé", "Contradictions", "Rien trouvé sur : {part}",
        "Aucune preuve n'a été trouvée ; il n'y a donc pas de rapport.",
        "Les résultats ci-dessous ont été vérifiés, mais personne ne les a rédigés.",
        "Ce sont des phrases textuelles des sources, choisies sans modèle de langue.",
        "Ce rapport est incomplet.", "en partie étayé", "mais",
    ),
    "es": Wording(
        "Fuentes", "Resultados", "No encontrado", "Contradicciones", "No se encontró nada sobre: {part}",
        "No se encontraron pruebas, por lo que no hay informe.",
        "Los resultados siguientes se comprobaron, pero nadie los ha redactado.",
        "Son frases textuales de las fuentes, elegidas sin modelo de lenguaje.",
        "Este informe está incompleto.", "respaldado en parte", "pero",
    ),
    "zh": Wording(
        "参考资料", "结果", "未找到", "矛盾之处", "未找到相关内容：{part}",
        "没有找到证据，因此没有报告。", "以下结果已经核对，但未经撰写整理。",
        "以下均为来源中的原句，由程序挑选，未使用语言模型。", "本报告不完整。", "部分支持", "但是",
    ),
    "ja": Wording(
        "参考資料", "結果", "見つからなかったこと", "矛盾", "次については何も見つかりませんでした：{part}",
        "根拠が見つからなかったため、報告書はありません。",
        "以下の結果は確認済みですが、文章としてまとめられていません。",
        "以下は出典の文をそのまま、言語モデルを使わずに選んだものです。", "この報告書は不完全です。",
        "一部裏付けあり", "しかし",
    ),
}  # fmt: skip


def wording(language: str) -> Wording:
    """The words of a language (ISO 639-1); English for one that has no table."""
    return _WORDINGS.get(language.split("-")[0].lower(), _WORDINGS["en"])
