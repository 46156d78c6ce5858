"""The answer of a small model: a few sentences of its own, and below them every fact that it was shown, with its source.

A small model would name a third of the facts, and given labels to cite by it copies the list. So what it says is the
answer, without labels; the list is the evidence, and the program writes it, with the citations of both.
"""

import re
from collections.abc import Mapping

from research_crew.agents.gather import critique_of, interleaved
from research_crew.agents.model.prompting import system_prompt
from research_crew.agents.model.team import Team
from research_crew.agents.roles import WRITER, Draft, Question
from research_crew.agents.wording import wording
from research_crew.core.context import Context
from research_crew.evidence.claim import Claim
from research_crew.evidence.folding import content_terms
from research_crew.evidence.sentences import split_sentences
from research_crew.evidence.support import check_support
from research_crew.models.asking import ask_whole

_CITED = re.compile(r"(?:\[facts?\s*)?[\[(]*\bc\d+\b[\])]*,?", re.I)
_COPIED = re.compile(r"\n\W*(?:Facts?\b\W*$|\[?c\d+\]?\W*\s\S)", re.M | re.I)
"""Where an answer begins to repeat the facts."""
_MOST_BACKING = 3
_BEHIND = re.compile(r"([.!?])\s*((?:\[c\d+\]\s*)+)")
"""Labels behind the mark that ends a sentence: before it, they do not hide the end."""
_LABEL = re.compile(r"\bc\d+\b")


async def write(question: Question, team: Team, ctx: Context) -> Draft:
    """A draft in the question's language; claims beyond `max_claims`, or that do not fit, are left out and named."""
    critique = critique_of(ctx.results, ctx.sources.witness, question.readmitted)
    claims = interleaved(critique.kept)
    most = len(claims) if question.max_claims is None else question.max_claims
    labels = {f"c{n}": claim.id for n, claim in enumerate(claims[:most], 1)}
    limits = f"At most {question.max_words // 2} words." if question.max_words is not None else ""
    request = team.request(
        ctx.task.role, system_prompt("small/writer", question, limits=limits), f"Question: {question.text}\n\nFacts:", team.caps.write
    )
    shown = [f"- {claim.text}" for claim in claims[: len(labels)]]
    request, fitted = team.fit(WRITER, request, shown, team.caps.ending_prompt)
    model = team.of(ctx.task.role)
    reading = await ask_whole(team.asker, ctx.meter, model, request, "write", continuations=0)
    listed = dict(list(labels.items())[:fitted])
    answer, cut = _whole(reading.value, reading.cut)
    cited = with_labels(answer, listed, {claim.id: claim for claim in claims})
    facts = "\n".join(f"- {claim.text} [{label}]" for label, claim in zip(listed, claims, strict=False))
    words = wording(question.language)
    return Draft(
        f"{cited}\n\n## {words.findings}\n\n{facts}\n", listed, tuple(claims[:fitted]),
        tuple(claim.id for claim in claims[fitted:]), critique.support, conflicts=critique.conflicts, incomplete=cut,
        warnings=reading.notes,
    )  # fmt: skip


def _whole(text: str, cut: bool) -> tuple[str, bool]:
    """The answer on one line, without a copy of the list that it was given, up to its last whole sentence when it was
    cut off; still cut when there is none."""
    text = " ".join(_COPIED.split(text, maxsplit=1)[0].split())
    if not cut:
        return text, False
    spans = split_sentences(text)
    ends = [span.end for span in spans if text[: span.end].rstrip("]) ")[-1:] in (".", "!", "?", "。")]
    return (text[: ends[-1]], False) if ends else (text, True)


def with_labels(answer: str, labels: Mapping[str, str], claims: Mapping[str, Claim]) -> str:
    """Every sentence with the labels of the claims that it rests on behind it; those that it was given stay."""
    lines = []
    for sentence, given in cited_sentences(answer):
        known = [label for label in given if label in labels] or backing(sentence, labels, claims)
        lines.append(sentence + (" " + "".join(f"[{label}]" for label in known) if known else ""))
    return " ".join(lines)


def backing(sentence: str, labels: Mapping[str, str], claims: Mapping[str, Claim]) -> list[str]:
    """The fewest claims that together say most of a sentence, at most three, each adding words of it; none if together
    they do not support it. An answer drawn from two facts is said by neither of them alone."""
    open_words, chosen = set(content_terms(sentence)), list[str]()
    said = {label: set(content_terms(claims[name].text)) for label, name in labels.items()}
    while len(chosen) < _MOST_BACKING:
        label = max(said, key=lambda one: len(said[one] & open_words), default="")
        if not label or not said[label] & open_words:
            break
        chosen.append(label)
        open_words -= said.pop(label)
    texts = " ".join(f"{claims[labels[label]].text} {claims[labels[label]].quote}" for label in chosen)
    return chosen if chosen and check_support(sentence, texts).verdict != "unsupported" else []


def cited_sentences(answer: str) -> list[tuple[str, list[str]]]:
    """The sentences of an answer without their labels, each with the labels in it or behind it."""
    found: list[tuple[str, list[str]]] = []
    answer = _BEHIND.sub(r" \2\1 ", answer)
    for span in split_sentences(answer):
        text = span.of(answer)
        given = list(dict.fromkeys(_LABEL.findall(text)))
        bare = re.sub(r"\s+([.!?,;])", r"\1", " ".join(_CITED.sub(" ", text).split()))
        if sum(c.isalnum() for c in bare) > 2:
            found.append((bare, given))
        elif found:
            found[-1][1].extend(label for label in given if label not in found[-1][1])
    return found
