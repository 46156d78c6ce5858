"""Where every candidate and every source ended: nothing disappears."""

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from research_crew.core.books import CLAIM_STATES, SOURCE_STATES, Books, StateLog, Transition


def replayed(log: tuple[Transition, ...]) -> dict[str, str]:
    """States as somebody reads them who has nothing but the log."""
    states: dict[str, str] = {}
    for line in log:
        states[line.id] = line.state
    return states


class BooksMachine(RuleBasedStateMachine):
    """Register, cut, merge, strand, finish, restore: in any order, with a plain dictionary beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.books = Books()
        self.model: dict[str, str] = {}
        self.attempts: dict[tuple[str, int], list[str]] = {}
        self.lines = 0

    @rule(
        task=st.sampled_from(["research:0", "research:1", "a/1", "a"]),
        attempt=st.integers(1, 3),
        supported=st.booleans(),
    )
    def register(self, task: str, attempt: int, supported: bool) -> None:
        ids = self.attempts.setdefault((task, attempt), [])
        name = self.books.register(task, attempt, "says so", "kept" if supported else "unsupported", "x")
        assert name == f"{task}/{attempt}/{len(ids) + 1}" and name not in self.model
        ids.append(name)
        self.model[name] = "kept" if supported else "unsupported"

    @precondition(lambda self: self.model)
    @rule(data=st.data(), state=st.sampled_from(CLAIM_STATES))
    def move(self, data: st.DataObject, state: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.model)))
        self.books.claims.move(name, state, "because")
        self.model[name] = state

    @precondition(lambda self: self.attempts)
    @rule(data=st.data(), whole_task=st.booleans())
    def strand(self, data: st.DataObject, whole_task: bool) -> None:
        task, attempt = data.draw(st.sampled_from(sorted(self.attempts)))
        names = self.books.of_task(task) if whole_task else self.books.of_attempt(task, attempt)
        expected = [
            n for (t, a), ids in self.attempts.items() for n in ids if t == task and (whole_task or a == attempt)
        ]
        assert sorted(names) == sorted(expected)
        self.books.strand(names, "its task failed")
        for name in names:
            if self.model[name] == "kept":
                self.model[name] = "stranded"

    @rule(data=st.data(), written=st.booleans())
    def finish(self, data: st.DataObject, written: bool) -> None:
        kept = [name for name, state in self.model.items() if state == "kept"]
        report = data.draw(st.sets(st.sampled_from(kept))) if kept else set()
        self.books.finish(report, "" if written else "nothing was written")
        for name in kept:
            if name not in report:
                self.model[name] = "lost-in-writing" if written else "stranded"

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.model)))
        self.books.restore(name)
        self.model[name] = "kept"

    @invariant()
    def candidates_are_the_sum_of_the_states(self) -> None:
        counts = self.books.claims.counts()
        assert tuple(counts) == CLAIM_STATES
        assert sum(counts.values()) == len(self.books.claims) == len(self.model) == self.books.to_json()["candidates"]
        for state in CLAIM_STATES:
            named = [line.id for line in self.books.claims.among(state)]
            assert named == [name for name, now in self.model.items() if now == state]

    @invariant()
    def the_log_alone_gives_the_same_states_and_only_grows(self) -> None:
        log = self.books.claims.log
        assert replayed(log) == self.model
        assert len(log) >= self.lines
        self.lines = len(log)


BooksMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestBooks = BooksMachine.TestCase


def test_a_transition_says_why_and_of_whom() -> None:
    books = Books()
    first, second = (books.register("r", 1, text) for text in ("one", "the same"))
    books.claims.move(second, "duplicate", "same fact", first)
    assert books.claims[second] == Transition(second, "duplicate", "same fact", first)
    assert books.texts == {"r/1/1": "one", "r/1/2": "the same"}
    assert [line.state for line in books.claims.log] == ["kept", "kept", "duplicate"]


def test_nothing_is_booked_twice_moved_unbooked_or_put_into_a_state_that_is_none() -> None:
    log = StateLog(SOURCE_STATES)
    log.book("1", "found")
    with pytest.raises(ValueError, match="booked already"):
        log.book("1", "found")
    with pytest.raises(KeyError):
        log.move("2", "read")
    with pytest.raises(ValueError, match="no such state: lost"):
        log.move("1", "lost")
    with pytest.raises(ValueError, match="no such state: lost"):
        log.book("3", "lost")
    assert log.log == (Transition("1", "found"),) and "3" not in log and "1" in log and len(log) == 1


def test_moving_to_where_it_is_writes_no_line() -> None:
    log = StateLog(SOURCE_STATES)
    log.book("1", "found")
    log.move("1", "found")
    log.move("1", "read")
    log.move("1", "read")
    assert [line.state for line in log.log] == ["found", "read"]


def test_stranding_touches_only_what_is_still_kept() -> None:
    books = Books()
    states = ["kept", "unsupported", "kept"]
    names = [books.register("r", 1, "t", state) for state in states]  # type: ignore[arg-type]
    books.claims.move(names[2], "cut-by-critic", "weak")
    books.strand(names, "its task failed")
    assert [books.claims[n].state for n in names] == ["stranded", "unsupported", "cut-by-critic"]


def test_tasks_whose_names_run_into_each_other_share_no_candidate() -> None:
    books, order = Books(), Random(3)
    tasks = [("a", 1), ("a", 11), ("a/1", 1), ("a/1/1", 1), ("a/1", 11)]
    for _ in range(40):
        books.register(*order.choice(tasks), "t")
    assert len(books.claims) == 40 == sum(len(books.of_attempt(*task)) for task in tasks)


def test_the_record_names_every_state() -> None:
    books = Books()
    books.sources.book("1", "found")
    books.register("r", 1, "t")
    books.unbacked.append("A sentence.")
    claims: dict[str, int] = {**dict.fromkeys(map(str, CLAIM_STATES), 0), "kept": 1}
    sources: dict[str, int] = {**dict.fromkeys(map(str, SOURCE_STATES), 0), "found": 1}
    recorded = books.to_json({"ok": 2})
    expected: dict[str, object] = {"candidates": 1, **claims, "sources": sources, "tasks": {"ok": 2}, "unbacked": 1}
    assert recorded == expected
