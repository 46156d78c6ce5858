"""The pages that searches brought up, which of them are worth reading, and the names that lead from one to the next.

A page counts for what it says of the question (its words, weighed by how rare they are among the pages found; a title
that the question names; its place in the results), and for standing at the end of a bridge: a name that a good page
mentions near the words of the question, and that the question itself does not have. "The director of film X" is in
no page of its own; the page on X names the director, and that name is the bridge to the second page. Everything is
told from titles and from the passages that searches show, before anything is paid for reading.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log

from research_crew.agents.extractive.relations import related_terms
from research_crew.agents.extractive.terms import key_terms, plain, says, tokens, words_for
from research_crew.agents.found import PageText, SearchOutcome
from research_crew.agents.names import mentions
from research_crew.evidence.folding import fold
from research_crew.evidence.instructions import find_instructions
from research_crew.evidence.passage import split_passages
from research_crew.evidence.sentences import split_sentences

_NAMED = 1.0
"""What a title that the question names is worth: as much as all words of the question, or first place in a search."""
_ANCHORS = 6
"""Pages whose names are followed."""
_BRIDGES = 15
"""Bridges that may raise a page."""
_BRIDGE = 0.8
"""What a bridge is worth, in relation to a word of the question."""
_BY_TITLE = 0.7
"""How surely a bridge leads to a page whose title has its name, or that is part of its name; 1 for the name itself."""
_ALIAS = 0.6
"""Weight of a name that shares a word with the question or with the page's own title: often the same thing again."""
_LATER = 0.7
"""Weight of each further name of a page, in relation to the one before it."""
_ENOUGH_SEEN = 400
"""Characters of a page from which what the search showed is enough to judge it by."""
_BARE = 0.3
"""Weight of a name that stands near no word of the question."""


@dataclass(slots=True)
class Candidate:
    """A page that searches brought up."""

    number: int
    title: str
    passages: dict[str, None] = field(default_factory=dict)
    """What was seen of it."""
    places: float = 0.0
    """Reciprocal ranks, added up over the searches."""
    direct: float = 0.0
    score: float = 0.0
    terms: frozenset[str] = frozenset()

    @property
    def bare_title(self) -> str:
        """The title without what tells it from others of the same name, "(film)"."""
        return re.sub(r"\s*\([^)]*\)\s*$", "", self.title)

    @property
    def seen(self) -> str:
        """All that was seen of it."""
        return "\n".join(self.passages)


@dataclass(frozen=True, slots=True)
class Bridge:
    """A name that leads on from a page."""

    name: str
    weight: float
    source: int
    """The page that mentions it."""
    open: frozenset[str]
    """What the question asks and that page does not say."""


class Pool:
    """All candidates of one researcher, ranked anew after each round."""

    def __init__(self, asked: str, language: str) -> None:
        self.asked, self.language = asked, language
        self.terms = key_terms(asked, language)
        self.candidates: dict[int, Candidate] = {}
        self.bridges: list[Bridge] = []
        self.weights: dict[str, float] = dict.fromkeys(self.terms, 1.0)
        named = frozenset(t for m in mentions(asked, language) if m.weight >= 0.5 for t in key_terms(m.name, language))
        self.relation = self.terms - named
        """What is asked of the names: the words that are no part of one."""
        self.related = related_terms(self.relation, language)
        self._asking = self.relation.union(*self.related.values())

    def add(self, outcomes: Iterable[SearchOutcome]) -> None:
        """Take up what searches brought, and rank."""
        for outcome in outcomes:
            for place, page in enumerate(outcome.pages, 1):
                found = self.candidates.setdefault(page.number, Candidate(page.number, page.title))
                found.title = found.title or page.title
                found.passages.setdefault(_without_instructions(f"{page.heading}\n{page.snippet}".strip()))
                found.places += 1 / place
        self._rank()

    def has(self, name: str) -> bool:
        """Whether a page was brought up whose title is this name."""
        return any(fold(c.bare_title) == fold(name) for c in self.candidates.values())

    def ranked(self) -> list[Candidate]:
        """Best first; of equals the one found first."""
        return sorted(self.candidates.values(), key=lambda c: -c.score)

    def follow_up(self, done: Iterable[str]) -> list[str]:
        """Queries for the bridges, the strongest first: the name, with what its page leaves open; none that was asked.

        Names that have a page of their own in the pool already are not asked for again in another's query.
        """
        asked = list(map(fold, done))
        have = frozenset(t for c in self.named() for t in key_terms(c.bare_title, self.language))
        queries: list[str] = []
        taken: list[str] = []
        for bridge in self.bridges:
            if any(says(name, bridge.name) for name in taken):
                continue
            query = f"{bridge.name} {words_for(self.asked, bridge.open - have, self.language)}".strip()
            if fold(query) not in asked:
                queries.append(query)
                taken.append(bridge.name)
        return queries

    def read(self, page: PageText) -> None:
        """Take up what was read, where the search showed little of it: the passages that have most of the question."""
        found = self.candidates.get(page.number)
        if found is None or len(found.seen) >= _ENOUGH_SEEN or not page.text:
            return
        passages = [_without_instructions(p.text) for p in split_passages(page.text)]
        passages.sort(key=lambda text: -len(key_terms(text, self.language) & (self.terms | self._asking)))
        found.passages.update(dict.fromkeys(passages[:2]))
        self._rank()

    def widest(self) -> float:
        """The largest share of what is asked that one page speaks of."""
        whole = sum(self.weights.values()) or 1.0
        said = (sum(self.weights[t] for t in c.terms & self.terms) for c in self.candidates.values())
        return max(said, default=0.0) / whole

    def crossed(self, pages: Sequence[Candidate]) -> tuple[dict[str, float], dict[int, float]]:
        """Bridges that lead to one of these pages: the names with their weights, and the pages with theirs, 0 to 1."""
        names: dict[str, float] = {}
        reached: dict[int, float] = {}
        best = max((b.weight for b in self.bridges), default=0.0) or 1.0
        for bridge in self.bridges[:_BRIDGES]:
            for page in pages:
                if self._match(page, bridge) >= _BY_TITLE:
                    names[bridge.name] = bridge.weight / best
                    reached[page.number] = max(reached.get(page.number, 0.0), bridge.weight / best)
        return names, reached

    # -- ranking ------------------------------------------------------------------------------------------------

    def named(self) -> list[Candidate]:
        """Pages whose title stands in the question, and says more than what the question asks for.

        The longest titles first: "Moon" is not named by a question about "Bloody Moon", unless it stands there again.
        """
        by_title: dict[str, list[Candidate]] = {}
        for c in self.candidates.values():
            if says(self.asked, c.bare_title) and key_terms(c.bare_title, self.language) - self._asking:
                by_title.setdefault(plain(c.bare_title).strip(), []).append(c)
        rest, found = self.asked, []
        for title in sorted(by_title, key=lambda t: (-len(t), t)):
            if says(rest, title):
                found += by_title[title]
                rest = plain(rest).replace(title, "\n")
        return found

    def _rank(self) -> None:
        counts: dict[str, int] = {}
        for c in self.candidates.values():
            c.terms = key_terms(c.title, self.language) | key_terms(c.seen, self.language)
            for term in c.terms:
                counts[term] = counts.get(term, 0) + 1
        total = len(self.candidates) + 1
        self.weights = {t: log(1 + total / (1 + counts.get(t, 0))) for t in self.terms}
        whole = sum(self.weights.values()) or 1.0
        named = {c.number for c in self.named()}
        for c in self.candidates.values():
            said = sum(self.weights[t] for t in c.terms & self.terms) / whole
            c.direct = said + (_NAMED if c.number in named else 0.0) + c.places
        self._find_bridges()
        for c in self.candidates.values():
            c.score = c.direct + _BRIDGE * max((self._reached(c, b) for b in self.bridges[:_BRIDGES]), default=0.0)

    def _reached(self, page: Candidate, bridge: Bridge) -> float:
        """How surely a bridge leads to a page: by its title, or at least its text; more for what was still open."""
        match = self._match(page, bridge)
        if not match:
            return 0.0
        left = sum(self.weights[t] for t in bridge.open) or 1.0
        return bridge.weight * match * (0.5 + sum(self.weights[t] for t in bridge.open & page.terms) / left)

    def _match(self, page: Candidate, bridge: Bridge) -> float:
        if page.number == bridge.source:
            return 0.0
        if fold(page.bare_title) == fold(bridge.name):
            return 1.0
        if says(page.title, bridge.name) or says(bridge.name, page.bare_title):
            return _BY_TITLE
        return 0.5 if says(page.seen, bridge.name) else 0.0

    # -- bridges ------------------------------------------------------------------------------------------------

    def _find_bridges(self) -> None:
        best: dict[str, Bridge] = {}
        for anchor in sorted(self.candidates.values(), key=lambda c: -c.direct)[:_ANCHORS]:
            found = sorted(self._names_in(anchor).items(), key=lambda item: -item[1])
            for place, (name, weight) in enumerate(found):
                value = anchor.direct * weight * _LATER**place
                if name not in best or value > best[name].weight:
                    best[name] = Bridge(name, value, anchor.number, self.terms - anchor.terms)
        self.bridges = sorted(best.values(), key=lambda b: -b.weight)

    def _names_in(self, page: Candidate) -> dict[str, float]:
        """Names that a page mentions and the question does not, the nearer to a word of the question the better."""
        own = self.terms | key_terms(page.title, self.language)
        found: dict[str, float] = {}
        for passage in page.passages:
            for span in split_sentences(passage):
                sentence = span.of(passage)
                for name, weight in self._weighed(sentence, page):
                    weight *= _ALIAS if key_terms(name, self.language) & own else 1.0
                    found[name] = max(weight, found.get(name, 0.0))
        return found

    def _weighed(self, sentence: str, page: Candidate) -> list[tuple[str, float]]:
        hits = [
            (place, len(word), 1.0 if terms & self._asking else 0.5)
            for place, word in tokens(sentence)
            if (terms := key_terms(word, self.language)) & (self._asking | self.terms)
        ]
        found: list[tuple[str, float]] = []
        for mention in mentions(sentence, self.language):
            if len(mention.name) < 3 or says(self.asked, mention.name) or says(page.title, mention.name):
                continue
            near = 0.0
            for place, length, value in hits:
                ahead = place < mention.start
                gap = mention.start - place - length if ahead else place - mention.start - len(mention.name)
                near = max(near, value / (1 + max(gap, 0) / 15))
            found.append((mention.name, mention.weight * (_BARE + near)))
        return found


def _without_instructions(passage: str) -> str:
    """A passage without the sentences that speak to an assistant: they neither rank a page nor choose what is
    searched next. (They stay in the stored text; the toolbox counts them.)"""
    if not find_instructions(passage):
        return passage
    return " ".join(s for span in split_sentences(passage) if not find_instructions(s := span.of(passage)))
