import asyncio
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from research_crew.core.errors import InvalidInput
from research_crew.evidence.source import Source, SourceRegistry, SourceState

ARTICLE = (
    "The harbour of the old town was rebuilt after the great fire of 1842, and the new quays opened three years later. "
    "Merchants from the north paid 4,000 thalers for each berth, which was twice what the council had expected. "
    "Ships from all over the continent came, and within ten years the town had 31,000 inhabitants. "
)


def test_a_page_keeps_the_number_it_got_first() -> None:
    registry = SourceRegistry()
    first = registry.register(url="https://www.example.com/a?utm_source=x", title="A")
    other = registry.register(url="https://example.com/b")
    again = registry.register(url="https://example.com/a/#top")
    assert (first.number, other.number, again.number) == (1, 2, 1)
    assert again.title == "A" and again.url == "https://www.example.com/a?utm_source=x"


def test_files_are_known_by_path_and_page() -> None:
    registry = SourceRegistry()
    numbers = [registry.register(path=p, page=n).number for p, n in (("a.pdf", 1), ("a.pdf", 2), ("./a.pdf", 1))]
    assert numbers == [1, 2, 1]


def test_numbers_are_stable_under_threads() -> None:
    registry = SourceRegistry()
    urls = [f"https://example.com/{i % 50}?utm_source={i}" for i in range(1000)]
    with ThreadPoolExecutor(16) as pool:
        seen = list(pool.map(lambda u: (u.split("?")[0], registry.register(url=u).number), urls))
    assert len(registry) == 50 == len(set(seen))
    assert sorted(s.number for s in registry.all()) == list(range(1, 51))


def test_numbers_are_stable_under_tasks() -> None:
    registry = SourceRegistry()

    async def one(i: int) -> tuple[int, int]:
        await asyncio.sleep(0)
        return i % 7, registry.register(url=f"https://example.com/{i % 7}").number

    async def many() -> list[tuple[int, int]]:
        return list(await asyncio.gather(*(one(i) for i in range(100))))

    assert len(set(asyncio.run(many()))) == 7


def test_the_text_is_kept_with_hash_and_time() -> None:
    registry = SourceRegistry()
    number = registry.register(url="https://example.com/a").number
    source = registry.store_text(number, ARTICLE, "2026-01-02T03:04:05Z")
    assert source.hash == hashlib.sha256(ARTICLE.encode()).hexdigest()
    assert (source.state, source.retrieved) == ("read", "2026-01-02T03:04:05Z")
    assert registry.text(number) == ARTICLE


def test_a_page_without_words_is_empty_not_read() -> None:
    registry = SourceRegistry()
    registry.register(url="https://example.com/a")
    assert registry.store_text(1, " \n-- ").state == "empty"


def test_what_was_unknown_is_filled_in_later() -> None:
    registry = SourceRegistry()
    before = registry.register(url="https://someone.example.dev/essay")
    after = registry.register(url="https://someone.example.dev/essay", author="A. Writer", published="2024-01-01")
    assert (before.tier, after.tier, after.author) == ("weak", "ordinary", "A. Writer")


def test_a_model_may_lower_a_tier_but_never_raise_it() -> None:
    registry = SourceRegistry()
    registry.register(url="https://www.nature.com/articles/x")
    assert registry.lower_tier(1, "weak").tier == "weak"
    assert registry.lower_tier(1, "strong").tier == "weak"
    assert registry.register(url="https://www.nature.com/articles/x", author="B").tier == "weak"
    assert registry.register(url="https://quora.com/x", tier="strong").tier == "weak"


def test_states_move_forward_and_are_counted() -> None:
    told: list[tuple[int, str | None, str]] = []
    registry = SourceRegistry(on_change=lambda source, before: told.append((source.number, before, source.state)))
    for i in range(4):
        registry.register(url=f"https://example.com/{i}")
    registry.mark(1, "throttled")
    registry.store_text(1, ARTICLE)
    registry.mark(2, "refused")
    registry.store_text(3, "Another page with other words.")
    registry.close(cited=[1])
    counts = registry.counts()
    assert sum(counts.values()) == 4
    assert {s: n for s, n in counts.items() if n} == {"found": 1, "refused": 1, "cited": 1, "read-not-cited": 1}
    assert [t[1:] for t in told if t[0] == 1] == [
        (None, "found"),
        ("found", "throttled"),
        ("throttled", "read"),
        ("read", "cited"),
    ]


@pytest.mark.parametrize("state", ["cited", "read", "read-not-cited"])
def test_a_page_that_was_not_read_cannot_be_cited(state: SourceState) -> None:
    registry = SourceRegistry()
    registry.register(url="https://example.com/a")
    with pytest.raises(InvalidInput, match="cannot move"):
        registry.mark(1, state)


def test_a_quoted_text_cannot_change_under_its_quotes() -> None:
    registry = SourceRegistry()
    registry.register(url="https://example.com/a")
    registry.store_text(1, "A teaser.")
    first = registry.store_text(1, ARTICLE)
    assert registry.text(1) == ARTICLE
    registry.pin(1)
    assert registry.store_text(1, "something else") == first
    assert registry.text(1) == ARTICLE


def test_near_copies_are_one_witness_in_whatever_order() -> None:
    copies = [ARTICLE, "Menu. Home. " + ARTICLE + "Share this page.", ARTICLE.replace("4,000", "5,000"), ARTICLE]
    other = "Quantum computers hold their states in superconducting rings, cooled to some thousandths of a kelvin. " * 3
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        registry = SourceRegistry()
        texts = [*copies, other]
        for i in range(5):
            registry.register(url=f"https://example.com/{i}")
        for i in order:
            registry.store_text(i + 1, texts[i])
        assert [registry.witness(n) for n in range(1, 6)] == [1, 1, 1, 1, 5]
        assert registry.witnesses([2, 3, 4]) == {1}
        registry.close(cited=[2])
        assert [s.state for s in registry.all()] == [
            "read-not-cited",
            "cited",
            "duplicate",
            "duplicate",
            "read-not-cited",
        ]


def test_a_source_without_place_or_an_unknown_number_is_an_error() -> None:
    registry = SourceRegistry()
    with pytest.raises(InvalidInput):
        registry.register(title="nothing")
    with pytest.raises(InvalidInput):
        registry.register(url="https://example.com", path="a.txt")
    for call in (registry.text, registry.by_number, registry.witness):
        with pytest.raises(InvalidInput):
            call(9)
    assert 9 not in registry and registry.by_key("https://nowhere.example") is None


def test_a_registry_comes_back_from_its_record() -> None:
    registry = SourceRegistry()
    registry.register(url="https://example.com/a", title="A")
    registry.register(path="b/c.txt")
    registry.register(url="https://example.com/d")
    registry.store_text(1, ARTICLE, "2026-01-01T00:00:00Z")
    registry.store_text(2, ARTICLE)
    registry.close(cited=[1])
    stored = [Source.from_json(json.loads(json.dumps(s.to_json()))) for s in registry.all()]
    again = SourceRegistry()
    again.restore(stored, {1: ARTICLE, 2: ARTICLE})
    assert again.all() == registry.all()
    assert again.witness(2) == 1
    assert again.register(url="https://example.com/d").number == 3
    assert again.register(url="https://example.com/new").number == 4
