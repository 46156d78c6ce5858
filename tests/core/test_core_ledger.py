"""The ledger and the bill: every split adds up to what was spent."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_crew.core.ledger import Basis, Ledger, LedgerEntry, Outcome
from research_crew.core.money import Usage

AT = datetime(2026, 1, 1, tzinfo=UTC)
KINDS = ("model", "search", "read", "task")
BASES: tuple[Basis, ...] = ("measured", "estimated", "assumed", "reused")
OUTCOMES: tuple[Outcome, ...] = ("ok", "rejected", "error", "timeout", "cancelled")


def entry(n: int, nano: int = 10**9, **fields: object) -> LedgerEntry:
    values: dict[str, object] = {
        "n": n, "task": "t", "role": "r", "attempt": 1, "step": "s", "try_": 1, "kind": "model", "provider": "p",
        "model": "m", "usage": Usage(), "nano": nano, "basis": "measured", "outcome": "ok", "started": AT, "ended": AT,
    }  # fmt: skip
    return LedgerEntry(**{**values, **fields})  # type: ignore[arg-type]


entries = st.lists(
    st.fixed_dictionaries(
        {
            "nano": st.integers(-(10**12), 10**14),
            "task": st.sampled_from("ab"),
            "role": st.sampled_from("xyz"),
            "kind": st.sampled_from(KINDS),
            "provider": st.sampled_from(["docs", "fake"]),
            "model": st.sampled_from(["", "small", "large"]),
            "basis": st.sampled_from(BASES),
            "outcome": st.sampled_from(OUTCOMES),
            "corrects": st.sampled_from([None, None, 1]),
            "usage": st.builds(Usage, st.integers(0, 9), searches=st.integers(0, 2)),
        }
    ),
    max_size=12,
)


@given(entries)
def test_every_split_of_the_bill_adds_up_to_what_was_spent(rows: list[dict[str, object]]) -> None:
    ledger = Ledger()
    for n, row in enumerate(rows, 1):
        ledger.append(entry(n, **row))  # type: ignore[arg-type]
    bill = ledger.bill(Decimal(1000), overrun=5)
    total = sum((e.amount for e in ledger), Decimal(0))
    assert ledger.spent == bill.spent == total
    for split in (bill.by_role, bill.by_provider, bill.by_kind, bill.by_model, bill.by_basis):
        assert sum(split.values(), Decimal(0)) == total
        assert list(split) == sorted(split)
    assert ledger.of_task("a") + ledger.of_task("b") == total and ledger.of_task("nobody") == 0
    usage = Usage()
    for each in ledger:
        usage = usage + each.usage
    assert bill.usage == usage
    assert bill.tries == sum(row["corrects"] is None for row in rows), "a correction is no try"
    assert bill.overrun == Decimal("0.000000005") and bill.limit == 1000


def test_models_are_named_with_their_provider_and_searches_by_it_alone() -> None:
    ledger = Ledger()
    ledger.append(entry(1, provider="openai", model="gpt"))
    ledger.append(entry(2, 2 * 10**9, provider="exa", model="", kind="search"))
    bill = ledger.bill(Decimal(10))
    assert bill.by_model == {"exa": Decimal(2), "openai:gpt": Decimal(1)}
    shown = bill.to_json()
    assert (shown["spent"], shown["limit"], shown["by_kind"]) == ("3", "10", {"model": "1", "search": "2"})


@pytest.mark.parametrize("n", [0, 2, 7])
def test_entries_are_written_in_order_and_never_changed(n: int) -> None:
    ledger = Ledger()
    with pytest.raises(ValueError, match=f"entry {n}"):
        ledger.append(entry(n))
    ledger.append(entry(1))
    with pytest.raises(AttributeError):
        ledger[0].nano = 5  # type: ignore[misc]
    assert len(ledger) == 1


def test_an_entry_as_the_record_writes_it() -> None:
    shown = entry(1, 31_159_250, usage=Usage(input=625, output=799), note="n").to_json()
    assert shown["amount"] == "0.03115925" and shown["units"] == {"input": 625, "output": 799}
    assert shown["try"] == 1 and shown["started"] == "2026-01-01T00:00:00+00:00"
