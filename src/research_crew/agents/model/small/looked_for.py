"""What a small researcher looks for: the names of the question, and those that its facts led to. What is about none of
them is not shown, not noted and not followed: checks that cost nothing, before a model that is easily led astray."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from research_crew.agents.found import FoundPage
from research_crew.agents.model.small.planner import subjects_of
from research_crew.agents.names import names
from research_crew.agents.roles import Question
from research_crew.evidence.folding import content_terms, fold

_MOST_BRIDGES = 2
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class LookedFor:
    """Names; none of them means that everything may be about the question."""

    names: tuple[str, ...]

    def about(self, text: str) -> bool:
        """Whether a text has one of the names: its words in any order, or the whole of it where it is made of small words
        ("What Will You Do When You Catch Me?" is not about every catch)."""
        if not self.names:
            return True
        words, plain = set(content_terms(text)), _plain(text)
        for name in self.names:
            wanted = set(content_terms(name))
            telling = len(wanted) > 1 or len(wanted) * 2 > len(name.split())
            if (telling and wanted <= words) or (not telling and _plain(name) in plain):
                return True
        return False

    def first(self, pages: Sequence[FoundPage]) -> list[FoundPage]:
        """The pages whose title has a name first, then those whose passage has one."""

        def place(page: FoundPage) -> int:
            return 0 if self.about(page.title) else 1 if self.about(f"{page.title} {page.snippet}") else 2

        return sorted(pages, key=place)


def looked_for(question: Question, queries: Iterable[str], number: int) -> LookedFor:
    """The names of a round: those of the question, in a later round those that the first one brought up."""
    own = subjects_of(question.text, question.language)
    if not own or number == 1:
        return LookedFor(tuple(own))
    later = [name for query in queries for name in names(query, question.language) or [query]]
    return LookedFor(tuple(dict.fromkeys(later)))


def bridges(question: Question, facts: Iterable[str], known: Iterable[str]) -> list[str]:
    """Names in new facts that nothing known is about: what to look up next."""
    had = set(content_terms(" ".join((question.text, *known))))
    found = (name for fact in facts for name in names(fact, question.language))
    return [name for name in dict.fromkeys(found) if set(content_terms(name)) - had][:_MOST_BRIDGES]


def _plain(text: str) -> str:
    return " ".join(("", *_WORDS.findall(fold(text)), ""))
