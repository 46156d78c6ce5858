import pytest

from research_crew.core.errors import InvalidInput
from research_crew.evidence.canonical import canonical_url, document_key


@pytest.mark.parametrize(
    "other",
    [
        "https://www.example.com/a/page",
        "https://example.com/a/page/",
        "https://EXAMPLE.com:443/a/page#section-2",
        "https://example.com/a/page?utm_source=news&utm_medium=mail",
        "https://example.com/a/page?fbclid=abc&gclid=1",
        "https://example.com/a/./b/../page",
        "  https://example.com/%61/page ",
        "example.com/a/page",
    ],
)
def test_one_page_has_one_key(other: str) -> None:
    assert canonical_url(other) == canonical_url("https://example.com/a/page")


@pytest.mark.parametrize(
    "other",
    [
        "https://example.com/a/page?id=7",
        "https://example.com/a/Page",
        "https://example.com/a",
        "https://en.example.com/a/page",
        "https://example.com:8443/a/page",
        "https://example.com/a/page?page=2",
    ],
)
def test_what_matters_is_kept(other: str) -> None:
    assert canonical_url(other) != canonical_url("https://example.com/a/page")


def test_meaningful_parameters_stay_in_any_order() -> None:
    assert canonical_url("https://example.com/?b=2&utm_term=x&a=1") == "https://example.com?a=1&b=2"
    assert canonical_url("https://example.com/s?q=a%20b&q=c") == "https://example.com/s?q=a%20b&q=c"


def test_parentheses_and_other_scripts() -> None:
    assert (
        canonical_url("https://en.wikipedia.org/wiki/Rock_(geology)") == "https://en.wikipedia.org/wiki/Rock_(geology)"
    )
    assert canonical_url("https://münchen.de/straße") == canonical_url("https://xn--mnchen-3ya.de/stra%c3%9fe")


def test_credentials_are_no_part_of_a_key() -> None:
    assert "secret" not in canonical_url("https://me:secret@example.com/a")


def test_a_key_is_its_own_key() -> None:
    key = canonical_url("HTTP://WWW.Example.COM:80/a%20b/?z=%C3%A9&a=1#x")
    assert canonical_url(key) == key == "http://example.com/a%20b?a=1&z=%C3%A9"


@pytest.mark.parametrize(
    "bad", ["", "  ", "ftp://example.com/a", "https://", "https://exa mple.com", "https://example.com:99999/"]
)
def test_what_is_no_page_is_refused_with_a_way_out(bad: str) -> None:
    with pytest.raises(InvalidInput, match="such as https"):
        canonical_url(bad)


def test_files_have_keys_that_do_not_depend_on_the_machine() -> None:
    assert (
        document_key("reports\\2020\\a.pdf", 3)
        == document_key("./reports/2020/a.pdf", 3)
        == "file:reports/2020/a.pdf#page=3"
    )
    assert document_key("u\u0308.txt") == document_key("ü.txt")
    for bad in ("", "/etc/passwd", "../a.txt", "C:\\a.txt"):
        with pytest.raises(InvalidInput):
            document_key(bad)
