"""How much a source is worth before it is read: decided in code, and only ever lowered."""

import csv
import itertools
from pathlib import Path

import pytest

from research_crew.evidence.tier import Tier, lowered, tier_of

LIST = Path(__file__).parents[2] / "benchmarks" / "tier_urls.tsv"


@pytest.mark.parametrize(
    ("url", "tier"),
    [
        ("https://www.cdc.gov/flu/", "strong"), ("https://physics.ox.ac.uk/research", "strong"),
        ("https://www.uni-bonn.de/de", "strong"), ("https://www.unipd.it/ricerca", "strong"),
        ("https://repositorio.usp.br/x", "strong"), ("https://somewhere.example/doi/10.1/x", "strong"),
        ("https://cs.stanford.edu/~someone/", "weak"), ("https://forum.ox.ac.uk/t/1", "ordinary"),
        ("https://de.wikipedia.org/wiki/Reiher", "ordinary"), ("https://www.zeit.de/wissen/x", "ordinary"),
        ("https://www.amazon.com/about", "ordinary"), ("https://www.amazon.com/dp/B01", "weak"),
        ("https://old.reddit.com/r/x", "weak"), ("https://unknown.example/page", "weak"),
        ("https://cheap-essay-help.example/x", "weak"), ("https://a.coupons/x", "weak"),
        ("HTTPS://WWW.CDC.GOV:443/flu", "strong"), ("cdc.gov/flu", "strong"),
    ],
)  # fmt: skip
def test_the_kind_of_host_and_path_decides(url: str, tier: str) -> None:
    assert tier_of(url) == tier


def test_an_unknown_host_is_ordinary_when_it_says_who_or_when() -> None:
    url = "https://unknown.example/page"
    assert tier_of(url, author="A. Writer") == tier_of(url, published="2024-01-01") == "ordinary"
    assert tier_of(url, content_type="application/pdf; charset=x") == tier_of(url + ".PDF") == "ordinary"
    assert tier_of("https://www.quora.com/x", author="A. Writer", published="2024-01-01") == "weak", "no date mends a farm"


@pytest.mark.parametrize(
    "url",
    ["https://cdc.gov.evil.example/flu", "https://evil.example/cdc.gov", "https://notcdc-gov.example/", "https://nature.com.click/x",
     "https://evil.example/?u=https://cdc.gov"],
)  # fmt: skip
def test_a_host_that_only_looks_official_gains_nothing(url: str) -> None:
    assert tier_of(url) == "weak"


def test_a_file_of_the_persons_own_folder_is_strong() -> None:
    assert tier_of(path="notes/a.txt") == "strong"
    assert tier_of() == tier_of("https://") == tier_of("") == "weak"


@pytest.mark.parametrize("url", ["http://[::1", "https://[bad/x", "https://\ud800.example", "https://" + "a." * 5_000 + "gov"])
def test_no_address_breaks_it(url: str) -> None:
    assert tier_of(url) in ("strong", "ordinary", "weak")


def test_a_model_may_lower_a_tier_and_never_raise_it() -> None:
    order: tuple[Tier, ...] = ("strong", "ordinary", "weak")
    for now, proposed in itertools.product(order, order):
        assert lowered(now, proposed) == order[max(order.index(now), order.index(proposed))]
    assert lowered("ordinary", "Strong!") == lowered("ordinary", "") == "ordinary"


def test_the_labelled_list_is_told_as_the_documentation_says() -> None:
    with LIST.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == len({row["url"] for row in rows}) == 100 and all(row["why"] for row in rows)
    told = [tier_of(row["url"], author=row["author"] or None, published=row["published"] or None) for row in rows]
    right = sum(tier == row["label"] for tier, row in zip(told, rows, strict=True))
    assert right == 100 or f"{right / 100:.2f}" in (LIST.parents[1] / "docs" / "measured.md").read_text()
    assert right >= 92
