"""The prices that are known without any package: the default pairs and common models, in USD per million tokens.

Taken from genai-prices of the version below (a test holds each row against it), November 2026. A newer version of that
package, where it is installed, stands over this table.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

DATE = "2026-11-30"
CHECKED_AGAINST = "0.2.3"
"""Version of genai-prices that the rows are equal to."""


class Row(NamedTuple):
    """One model of a vendor."""

    input: Decimal
    output: Decimal
    cached_read: Decimal | None
    cached_write: Decimal | None
    window: int | None
    """Tokens; where a longer prompt has a higher price, the length at which that begins."""


def _row(price_in: str, out: str, read: str | None, write: str | None, window: int | None) -> Row:
    return Row(
        Decimal(price_in), Decimal(out), None if read is None else Decimal(read),
        None if write is None else Decimal(write), window,
    )  # fmt: skip


TABLE: Mapping[tuple[str, str], Row] = {
    ("openai", "gpt-5.5"): _row("5", "30", "0.5", None, 272_000),
    ("openai", "gpt-5.4-mini"): _row("0.75", "4.5", "0.075", None, 400_000),
    ("anthropic", "claude-sonnet-5-5"): _row("2", "10", "0.1", "2.5", 1_000_000),
    ("anthropic", "claude-opus-5-5"): _row("4", "20", "0.2", "5", 1_000_000),
    ("anthropic", "claude-haiku-4-5"): _row("1", "5", "0.1", "1.25", 200_000),
    ("google", "gemini-3-flash-preview"): _row("0.5", "3", "0.05", None, 1_000_000),
    ("google", "gemini-2.5-flash"): _row("0.3", "2.5", "0.03", None, 1_048_576),
    ("deepseek", "deepseek-chat"): _row("0.27", "1.1", "0.07", None, 64_000),
}
"""(vendor, model) → its row."""
