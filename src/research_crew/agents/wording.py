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
    copies: str
    """Said of a source whose text others repeat; `{count}` is how many."""


_WORDINGS = {
    "en": Wording(
        "References", "Findings", "Not found", "Contradictions", "Nothing was found on: {part}",
        "No evidence was found, so there is no report.",
        "The findings below were checked but not put together by a writer.",
        "These are verbatim sentences from the sources, chosen without a language model.",
        "This report is incomplete.", "partly supported", "but",
        "one source of support: nearly the same text in {count} more",
    ),
    "de": Wording(
        "Quellen", "Ergebnisse", "Nicht gefunden", "Widersprüche", "Nichts gefunden zu: {part}",
        "Es wurden keine Belege gefunden, deshalb gibt es keinen Bericht.",
        "Die folgenden Ergebnisse sind geprüft, aber von niemandem zusammengefasst.",
        "Dies sind wörtliche Sätze aus den Quellen, ohne Sprachmodell ausgewählt.",
        "Dieser Bericht ist unvollständig.", "teilweise belegt", "aber",
        "nur ein Beleg: fast derselbe Text auch in {count} weiteren",
    ),
    "fr": Wording(
        "Sources", "Résultats", "Non trouvé", "Contradictions", "Rien trouvé sur : {part}",
        "Aucune preuve n'a été trouvée ; il n'y a donc pas de rapport.",
        "Les résultats ci-dessous ont été vérifiés, mais personne ne les a rédigés.",
        "Ce sont des phrases textuelles des sources, choisies sans modèle de langue.",
        "Ce rapport est incomplet.", "en partie étayé", "mais",
        "une seule preuve : presque le même texte dans {count} autres",
    ),
    "es": Wording(
        "Fuentes", "Resultados", "No encontrado", "Contradicciones", "No se encontró nada sobre: {part}",
        "No se encontraron pruebas, por lo que no hay informe.",
        "Los resultados siguientes se comprobaron, pero nadie los ha redactado.",
        "Son frases textuales de las fuentes, elegidas sin modelo de lenguaje.",
        "Este informe está incompleto.", "respaldado en parte", "pero",
        "una sola prueba: casi el mismo texto en {count} más",
    ),
    "zh": Wording(
        "参考资料", "结果", "未找到", "矛盾之处", "未找到相关内容：{part}",
        "没有找到证据，因此没有报告。", "以下结果已经核对，但未经撰写整理。",
        "以下均为来源中的原句，由程序挑选，未使用语言模型。", "本报告不完整。", "部分支持", "但是",
        "算作一个来源：另有{count}个来源的文字几乎相同",
    ),
    "ja": Wording(
        "参考資料", "結果", "見つからなかったこと", "矛盾", "次については何も見つかりませんでした：{part}",
        "根拠が見つからなかったため、報告書はありません。",
        "以下の結果は確認済みですが、文章としてまとめられていません。",
        "以下は出典の文をそのまま、言語モデルを使わずに選んだものです。", "この報告書は不完全です。",
        "一部裏付けあり", "しかし",
        "根拠としては一つ：ほぼ同じ文章がほかに{count}件",
    ),
    "vi": Wording(
        "Tài liệu tham khảo", "Kết quả", "Không tìm thấy", "Mâu thuẫn", "Không tìm thấy gì về: {part}",
        "Không tìm thấy bằng chứng nào, vì vậy không có báo cáo.",
        "Các kết quả dưới đây đã được kiểm tra nhưng chưa được ai tổng hợp.",
        "Đây là các câu nguyên văn từ các nguồn, được chọn mà không dùng mô hình ngôn ngữ.",
        "Báo cáo này chưa đầy đủ.", "được chứng minh một phần", "nhưng",
        "chỉ là một nguồn: gần như cùng văn bản ở {count} nguồn khác",
    ),
    "it": Wording(
        "Fonti", "Risultati", "Non trovato", "Contraddizioni", "Non è stato trovato nulla su: {part}",
        "Non sono state trovate prove, quindi non c'è alcun rapporto.",
        "I risultati seguenti sono stati verificati, ma nessuno li ha messi insieme.",
        "Sono frasi testuali delle fonti, scelte senza un modello linguistico.",
        "Questo rapporto è incompleto.", "in parte confermato", "ma",
        "una sola prova: quasi lo stesso testo in altre {count}",
    ),
    "pt": Wording(
        "Fontes", "Resultados", "Não encontrado", "Contradições", "Nada foi encontrado sobre: {part}",
        "Não foram encontradas provas, por isso não há relatório.",
        "Os resultados abaixo foram verificados, mas ninguém os redigiu.",
        "São frases textuais das fontes, escolhidas sem um modelo de linguagem.",
        "Este relatório está incompleto.", "confirmado em parte", "mas",
        "uma só prova: quase o mesmo texto em mais {count}",
    ),
    "nl": Wording(
        "Bronnen", "Bevindingen", "Niet gevonden", "Tegenstrijdigheden", "Niets gevonden over: {part}",
        "Er is geen bewijs gevonden, daarom is er geen verslag.",
        "De bevindingen hieronder zijn gecontroleerd, maar door niemand samengevat.",
        "Dit zijn letterlijke zinnen uit de bronnen, gekozen zonder taalmodel.",
        "Dit verslag is onvolledig.", "gedeeltelijk onderbouwd", "maar",
        "één bron: bijna dezelfde tekst in nog {count}",
    ),
    "ru": Wording(
        "Источники", "Результаты", "Не найдено", "Противоречия", "Ничего не найдено по теме: {part}",
        "Доказательств не найдено, поэтому отчёта нет.",
        "Результаты ниже проверены, но никем не сведены воедино.",
        "Это дословные предложения из источников, выбранные без языковой модели.",
        "Этот отчёт неполон.", "подтверждено частично", "но",
        "одно свидетельство: почти тот же текст ещё в {count}",
    ),
    "ko": Wording(
        "참고 자료", "결과", "찾지 못한 내용", "모순", "다음에 대해 아무것도 찾지 못했습니다: {part}",
        "근거를 찾지 못해 보고서가 없습니다.", "아래 결과는 확인되었지만 글로 정리되지 않았습니다.",
        "아래는 언어 모델 없이 고른 출처의 원문 문장입니다.", "이 보고서는 완전하지 않습니다.", "일부만 뒷받침됨", "그러나",
        "하나의 근거: 거의 같은 글이 {count}곳 더",
    ),
}  # fmt: skip


def wording(language: str) -> Wording:
    """The words of a language (ISO 639-1); English for one that has no table."""
    return _WORDINGS.get(language.split("-")[0].lower(), _WORDINGS["en"])
