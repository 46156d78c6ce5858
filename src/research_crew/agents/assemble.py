"""From a draft to a report: claim labels become source numbers, and what rests on nothing is listed.

The program writes the citations: a label that stands for no claim is removed and reported, a sentence without one is
listed as unbacked, and a numeral that none of a sentence's claims has is reported (the one check that holds across
languages).
"""

import re
from dataclasses import replace

from research_crew.agents.roles import Draft, Report
from research_crew.evidence.claim import Claim
from research_crew.evidence.sentences import split_sentences
from research_crew.evidence.support import missing_figures

_RUN = re.compile(r"(?:\s*\[c\d+(?:\s*[,;]\s*c\d+)*\])+")
_MARKUP = re.compile(r"^(?:[-*+]|\d+\.)\s+")


_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])")
_LINK = re.compile(r"\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)]*\)")
_TAG = re.compile(r"(?<!\\)<(?=[a-zA-Z/!?])")
_ADDRESS = re.compile(r"<?\b(?:https?://|www\.)[^\s<>\])]+>?", re.I)


def inert(text: str) -> str:
    """Text from outside as Markdown shows it: nothing in it is taken for HTML (CommonMark 0.31, backslash escapes)."""
    return _TAG.sub(r"\\<", text)


def without_addresses(markdown: str, claims: tuple[Claim, ...]) -> tuple[str, int]:
    """The text without pictures, and without addresses that no claim has; how many were taken out.

    Addresses are written by the program from the registry, never by whoever wrote the text; and nothing in a report
    loads anything by itself.
    """
    stated = " ".join(f"{claim.text} {claim.quote}" for claim in claims)
    gone = 0

    def drop(match: re.Match[str]) -> str:
        nonlocal gone
        if match[0].strip("<>.,;") in stated:
            return match[0]
        gone += 1
        return match[1] if match.re is _LINK else ""

    for pattern in (_IMAGE, _LINK, _ADDRESS):
        markdown = pattern.sub(drop, markdown)
    return markdown, gone


def without_labels(markdown: str) -> str:
    """A draft without its citations, for a later writer, whose claims have other labels."""
    return _RUN.sub("", markdown)


def assemble(draft: Draft) -> Report:
    """The report that a draft makes; never fails, whatever the draft cites."""
    markdown, gone = without_addresses(draft.markdown, draft.claims)
    if gone:
        note = f"{gone} address(es) or picture(s) that no source gave were taken out of the text"
        draft = replace(draft, warnings=(*draft.warnings, note))
    draft = replace(draft, markdown=inert(markdown))
    by_id = {claim.id: claim for claim in draft.claims}
    known = {label: by_id[name] for label, name in draft.labels.items() if name in by_id}
    used: list[str] = []
    references: list[int] = []
    cited: list[tuple[int, str, tuple[int, ...]]] = []
    warnings = list(draft.warnings)
    unknown: list[str] = []
    out: list[str] = []
    length = last = 0
    for match in _RUN.finditer(draft.markdown):
        before = draft.markdown[last : match.start()]
        out.append(before)
        length += len(before)
        last = match.end()
        numbers: list[int] = []
        for label in re.findall(r"c\d+", match[0]):
            claim = known.get(label)
            if claim is None:
                unknown.append(label)
                continue
            sources = draft.support.get(claim.id) or (claim.source,)
            cited.append((length + 1, claim.id, sources))
            used.append(claim.id)
            numbers += [n for n in sources if n not in numbers]
        references += [n for n in numbers if n not in references]
        written = " " + "".join(f"[{n}]" for n in numbers) if numbers else ""
        out.append(written)
        length += len(written)
    out.append(draft.markdown[last:])
    if unknown:
        warnings.append(f"citations of no claim were removed: {', '.join(dict.fromkeys(unknown))}")
    unbacked, odd = _check(draft.markdown, known)
    warnings += odd
    return Report(
        "".join(out).strip() + "\n", tuple(dict.fromkeys(used)), tuple(references), tuple(cited), unbacked,
        draft.incomplete, draft.by, True, tuple(warnings),
    )  # fmt: skip


def _check(markdown: str, known: dict[str, Claim]) -> tuple[tuple[str, ...], list[str]]:
    """Sentences without a claim, and numerals that their claims do not have.

    Headings and lines that begin with `>` are the program's own words.
    """
    unbacked: list[str] = []
    odd: list[str] = []
    for line in markdown.splitlines():
        text = _MARKUP.sub("", line.strip())
        if not text or text.startswith(("#", ">", "|", "---")):
            continue
        for sentence, labels in _sentences(text):
            claims = [known[label] for label in labels if label in known]
            if not claims:
                if sum(c.isalnum() for c in sentence) > 2:
                    unbacked.append(sentence)
                continue
            missing = missing_figures(sentence, " ".join(f"{c.text} {c.quote}" for c in claims))
            if missing:
                odd.append(f"a figure that its claims do not have: {sentence[:120]}")
    return tuple(unbacked), odd


def _sentences(text: str) -> list[tuple[str, list[str]]]:
    """The sentences of a line, each with the labels that follow it (or stand in it)."""
    found: list[tuple[str, list[str]]] = []
    last = 0
    for match in _RUN.finditer(text):
        labels = re.findall(r"c\d+", match[0])
        before = text[last : match.start()].strip()
        spans = [span.of(before) for span in split_sentences(before)] or ([before] if before else [])
        found += [(sentence, []) for sentence in spans[:-1]]
        if spans:
            found.append((spans[-1], labels))
        elif found:
            found[-1][1].extend(labels)
        last = match.end()
    rest = text[last:].strip()
    found += [(span.of(rest), []) for span in split_sentences(rest)]
    return [(sentence, labels) for sentence, labels in found if any(c.isalnum() for c in sentence)]
