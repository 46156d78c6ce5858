"""Limits that a person sets to all searches of a run: days, language, domains.

Written in one line, `since=2024-01-01,until=2024-12-31,language=de,domain=who.int,not=quora.com`; `domain` and `not` may
stand there several times. An engine that cannot honour one of them says so in its notes (`rows.to_hits`).
"""

import re
from dataclasses import dataclass
from datetime import date

from research_crew.core.errors import InvalidInput
from research_crew.search.protocol import Query

_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", re.I)


@dataclass(frozen=True, slots=True)
class Filters:
    """What every query of a run carries."""

    language: str | None = None
    since: date | None = None
    until: date | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def query(self, text: str, limit: int) -> Query:
        """A query with these limits."""
        return Query(text, limit, self.language, self.since, self.until, self.include, self.exclude)


def filters_of(text: str | None) -> Filters:
    """Read the setting `filters`; raises `InvalidInput` for what it cannot mean."""
    days: dict[str, date] = {}
    domains: dict[str, list[str]] = {"domain": [], "not": []}
    language: str | None = None
    for part in filter(None, (part.strip() for part in (text or "").split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name in ("since", "until"):
            try:
                days[name] = date.fromisoformat(value)
            except ValueError:
                raise InvalidInput(f"--filters {name}", value, "write a day as 2024-01-31") from None
        elif name == "language":
            language = value.lower()
            if not re.fullmatch(r"[a-z]{2,3}", language):
                raise InvalidInput("--filters language", value, "write a code such as en or pt")
        elif name in domains:
            host = value.lower().removeprefix("www.")
            if not _DOMAIN.fullmatch(host):
                raise InvalidInput(f"--filters {name}", value, "write a domain such as who.int")
            domains[name].append(host)
        else:
            raise InvalidInput("--filters", part, "known are since, until, language, domain and not, as in since=2024-01-31")
    if "since" in days and "until" in days and days["since"] > days["until"]:
        raise InvalidInput("--filters since", days["since"].isoformat(), f"it is after until={days['until']}")
    return Filters(language, days.get("since"), days.get("until"), tuple(domains["domain"]), tuple(domains["not"]))
