"""Which addresses and spellings are refused before anything is connected to."""

import pytest

from research_crew.net.address import AddressPolicy, Refused

PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "2001:4860:4860::8888", "64:ff9b::808:808"]
NOT_PUBLIC = [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.0.1", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1",
    "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::a00:1",
    "64:ff9b:1::808:808", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2600::5efe:10.0.0.1",
    "2600::200:5efe:7f00:1", "100::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_reached(address: str) -> None:
    assert AddressPolicy().refusal(address) is None


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    reason = AddressPolicy().refusal(address)
    assert reason is not None and address in reason


def test_the_reason_names_the_kind() -> None:
    policy = AddressPolicy()
    assert policy.refusal("169.254.169.254") == "169.254.169.254 is a link-local or cloud metadata address"
    assert policy.refusal("64:ff9b::7f00:1") == "64:ff9b::7f00:1 is a NAT64 of a loopback address"
    assert policy.refusal("example.org") == "'example.org' is not an address"


ODD = [
    "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.1/",
    "http://127.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://0/", "http://8.8.2056/",
    "http://1.2.3.4.5/", "http://999.1.1.1/", "http://example.0x10/", "http://①②⑦.⓪.⓪.①/", "http://１２７.０.０.１/",
    "http://127。0。0。1/",
]  # fmt: skip


@pytest.mark.parametrize("url", ODD)
def test_odd_spellings_of_addresses_are_refused(url: str) -> None:
    with pytest.raises(Refused):
        AddressPolicy().check(url)


REFUSED_URLS = {
    "ftp://example.org/a": "only http and https",
    "file:///etc/passwd": "only http and https",
    "gopher://example.org/": "only http and https",
    "javascript:alert(1)": "only http and https",
    "data:text/html,hello": "only http and https",
    "//example.org/a": "relative",
    "example.org": "relative",
    "http:///path": "names no host",
    "http://example.org:22/": "port 22",
    "https://example.org:8443/": "port 8443",
    "http://user:secret@example.org/": "user name or a password",
    "http://example.org@127.0.0.1/": "user name or a password",
    "http://exa mple.org/": "space",
    "http://example.org\\@127.0.0.1/": "backslash",
    "http://example.org/\r\nHost: internal": "control character",
    "http://[::1]/": "loopback",
    "http://[::ffff:127.0.0.1]/": "IPv4-mapped",
    "http://[::ffff:7f00:1]/": "IPv4-mapped",
    "http://[0:0:0:0:0:ffff:169.254.169.254]/": "IPv4-mapped",
    "http://[fe80::1%25eth0]/": "link-local",
    "http://169.254.169.254/latest/meta-data/": "metadata",
    "http://127.0.0.1/": "loopback",
    "http://[::1/": "cannot be read",
    "http://example.org/" + "a" * 9_000: "longer than",
}


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_urls_that_are_not_fetched(url: str) -> None:
    with pytest.raises(Refused) as refusal:
        AddressPolicy().check(url)
    assert REFUSED_URLS[url] in refusal.value.reason


def test_a_checked_url_has_no_fragment_and_an_ascii_host() -> None:
    checked = AddressPolicy().check("HTTPS://Bücher.example/Straße?q=1#part")
    assert checked.url == "https://xn--bcher-kva.example/Stra%C3%9Fe?q=1"
    assert (checked.host, checked.port, checked.origin) == (
        "xn--bcher-kva.example", 443, "https://xn--bcher-kva.example:443",
    )  # fmt: skip


def test_a_password_in_a_url_is_not_repeated_in_the_reason() -> None:
    with pytest.raises(Refused) as refusal:
        AddressPolicy().check("http://user:hunter2@example.org/")
    assert "hunter2" not in refusal.value.reason


def test_an_own_network_is_reached_only_when_named() -> None:
    policy = AddressPolicy.of(ports=(8080,), allow=("127.0.0.0/8", "::1/128"))
    assert policy.check("http://127.0.0.1:8080/a").port == 8080
    assert policy.refusal("::1") is None
    assert policy.refusal("::ffff:127.0.0.1") is not None, "a mapped spelling stays refused"
    assert policy.refusal("10.0.0.1") is not None
    with pytest.raises(Refused):
        policy.check("http://127.0.0.1/")
