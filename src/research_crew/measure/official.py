"""The sets' own scores, beside ours, where an answer in cited claims has one.

- Closed lists: exact and partial F1 of the list as MultiSpanQA scores it (Li et al., NAACL 2022: partial overlap by the
  longest common substring, in characters). A whole sentence is no list item, so that sentences score low on it.
- Sets with gold paragraphs: F1 of the cited paragraphs, MuSiQue's support F1 (Trivedi et al., TACL 2022).
- Sets that score the share of gold values in the whole answer (FanOutQA's loose accuracy, Zhu et al., ACL 2024).
"""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Protocol

from research_crew.measure.datasets import GoldQuestion
from research_crew.measure.matching import holds
from research_crew.measure.plain_values import normal


class Cited(Protocol):
    """A claim of an answer."""

    @property
    def text(self) -> str:
        """What it says."""
        ...

    @property
    def doc(self) -> str:
        """What it cites."""
        ...


def official_score(question: GoldQuestion, claims: Sequence[Cited]) -> Mapping[str, float]:
    """The scores that this kind of question has, by name."""
    if not question.facts:
        return {}
    texts = [normal(claim.text) for claim in claims]
    golds = [[normal(v) for v in (fact.object, *fact.aliases)] for fact in question.facts]
    scores = {"loose accuracy": sum(any(holds(" ".join(texts), v) for v in values) for values in golds) / len(golds)}
    if question.scoring == "closed":
        hits = sum(any(text in values for values in golds) for text in texts)
        scores["exact F1"] = _f1(hits, len(texts), sum(any(v in texts for v in values) for values in golds), len(golds))
        best = [max((_overlap(text, values[0]) for values in golds), default=(0.0, 0.0))[0] for text in texts]
        back = [max((_overlap(text, values[0])[::-1] for text in texts), default=(0.0, 0.0))[0] for values in golds]
        scores["partial F1"] = _f1(sum(best), len(texts), sum(back), len(golds))
    if question.gold_doc_ids:
        cited, gold = {claim.doc for claim in claims if claim.doc}, set(question.gold_doc_ids)
        both = len(cited & gold)
        scores["support F1"] = _f1(both, len(cited), both, len(gold))
    return scores


def _f1(right: float, said: int, reached: float, gold: int) -> float:
    if not said or not gold or not right:
        return 0.0
    precision, recall = right / said, reached / gold
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _overlap(said: str, gold: str) -> tuple[float, float]:
    """(share of what was said, share of the gold) of the longest common substring."""
    if not said or not gold:
        return (0.0, 0.0)
    size = SequenceMatcher(None, said, gold, autojunk=False).find_longest_match().size
    return (size / len(said), size / len(gold))
