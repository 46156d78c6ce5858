"""The end of a run: the report that can still be written, the books closed, everything said that has to be said."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from research_crew.agents.assemble import assemble
from research_crew.agents.fallback import template_draft
from research_crew.agents.gather import gather
from research_crew.agents.roles import PLANNER, Brief, Critique, Draft, Finding, Plan, Question, Report
from research_crew.agents.toolbox import Toolbox
from research_crew.core.books import Books
from research_crew.core.outcome import RunResult, RunStatus, TaskResult
from research_crew.evidence.claim import Claim
from research_crew.evidence.folding import fold
from research_crew.evidence.written import language_name, written_in
from research_crew.result import CrewResult, Message


@dataclass(slots=True)
class Course:
    """What a run has come to so far."""

    plan: Plan | None = None
    briefs: dict[str, Brief] = field(default_factory=dict)
    """What each researcher was sent to find out, in every loop."""
    critique: Critique | None = None
    draft: Draft | None = None
    report: Report | None = None
    degraded: list[str] = field(default_factory=list)
    """What was given up to stay under the budget, in order."""
    warnings: list[str] = field(default_factory=list)
    sought: set[str] = field(default_factory=set)
    """Gaps that a further loop was planned for, folded."""
    refused: bool = False
    """A person was shown the plan, and has not agreed to it (yet)."""

    def unsought(self, gaps: Iterable[str]) -> tuple[str, ...]:
        """The gaps that no loop was planned for yet, which are taken as planned for now; says so when there is none."""
        keys = {fold(" ".join(gap.split())): gap for gap in gaps}
        fresh = tuple(gap for key, gap in keys.items() if key not in self.sought)
        self.sought.update(keys)
        if not fresh:
            self.warnings.append("no further loop: what the report still misses was searched for already")
        return fresh

    def planned(self, results: Mapping[str, TaskResult]) -> tuple[tuple[str, str], ...]:
        """What each researcher was sent for and what came of it, for a lead that sees no findings in full."""
        return tuple((name, f"{brief.objective} ({_came_of(results.get(name))})") for name, brief in self.briefs.items())

    @property
    def conflicts(self) -> tuple[tuple[str, str], ...]:
        """Pairs of claims that contradict each other in their figures."""
        if self.draft is not None:
            return self.draft.conflicts
        return self.critique.conflicts if self.critique is not None else ()


def _came_of(result: TaskResult | None) -> str:
    if result is None:
        return "under way"
    if isinstance(result.output, Finding):
        return f"{result.output.coverage}, {len(result.output.claims)} claims"
    return result.state


def kept_claims(books: Books, findings: Iterable[object]) -> list[Claim]:
    """The claims of some findings that nothing has dropped, in their order."""
    return [
        claim
        for finding in findings
        if isinstance(finding, Finding)
        for claim in finding.claims
        if books.claims[claim.id].state == "kept"
    ]


def book_critique(books: Books, critique: Critique) -> None:
    """Write down what a critique merged and cut, and what it takes back that an earlier one had cut."""
    for claim in critique.kept:
        if books.claims[claim.id].state == "cut-by-critic":
            books.restore(claim.id, "kept by a later critique")
    for name, root in critique.duplicates.items():
        if books.claims[name].state == "kept":
            books.claims.move(name, "duplicate", f"says what {root} says", root)
    for cut in critique.cuts:
        if books.claims[cut.claim].state == "kept":
            books.claims.move(cut.claim, "cut-by-critic", cut.reason)


def last_report(
    course: Course, question: Question, claims: list[Claim], books: Books, alone: bool, witness: Callable[[int], int]
) -> Report | None:
    """What can still be written when the citer, or the writer, did not get to it; None when there is nothing.

    `witness` gives the number that stands for all copies of a source.
    """
    if course.draft is not None:
        report = assemble(course.draft)
        return report if alone else replace(report, checked=False)
    if not claims:
        return None
    if not any(what.startswith("template writer") for what in course.degraded):
        course.degraded.append("template writer")
    gathered = gather({"claims": Finding(tuple(claims), "partial")}, witness)
    book_critique(books, gathered)
    return assemble(template_draft(question, gathered))


def close_books(course: Course, report: Report | None, books: Books, toolbox: Toolbox) -> None:
    """Move what is still open to where it ended, and add the warnings that only the end can give."""
    for name in course.draft.cut_for_space if course.draft is not None else ():
        if books.claims[name].state == "kept":
            books.claims.move(name, "cut-for-space", "did not fit into the writer's prompt")
    if report is not None:
        books.unbacked.extend(report.unbacked)
        books.finish(report.claims)
    else:
        books.finish((), "nothing was written")
    toolbox.registry.close(report.references if report else ())
    course.warnings += [
        f"source {number} contains {count} instruction(s) addressed to an assistant; they were read as text"
        for number, count in sorted(toolbox.instructed.items())
    ]
    if toolbox.kept_local:
        kept = toolbox.kept_local
        course.warnings.append(f"{kept} later search(es) went to the documents only, so that their words stay here")
    course.warnings += toolbox.searched.lines()
    lost = books.claims.counts()["unsupported"]
    if lost:
        course.warnings.append(f"{lost} of {len(books.claims)} candidate claims did not pass the checks")
    if report is not None:
        course.warnings += report.warnings


def wrong_language(report: Report | None, language: str) -> list[str]:
    """A warning when what a writer wrote is not in the language that was asked for."""
    if report is None or report.by != "writer" or written_in(report.markdown, language):
        return []
    return [f"the report is not in {language_name(language)}"]


def notes_of(run: RunResult) -> list[str]:
    """What agents say about their own work: failed rounds, pages and claims that did not fit into a prompt."""
    noted = ((task.id, getattr(task.output, "note", "")) for task in run.results)
    return [f"{name}: {note}" for name, note in noted if note]


def status_of(run: RunResult, course: Course, report: Report | None) -> RunStatus:
    """Complete only if every task was, nothing was given up, and the report is whole."""
    if run.status == "cancelled":
        return "cancelled"
    if report is None:
        return "no-evidence"
    whole = run.status == "complete" and not course.degraded and not report.incomplete
    return "complete" if whole else "incomplete"


def conversation_of(
    run: RunResult, question: Question, plan: Plan | None, report: Report | None, now: Callable[[], datetime]
) -> tuple[Message, ...]:
    """Everything that was said, in the order in which tasks ended."""
    end = now()
    begun = run.results[0].started or end
    said = [("", "user", question.text, begun)]
    if plan is not None and not any(task.role == PLANNER for task in run.results):
        said.append(("", PLANNER, plan.text, begun))  # a question on one thread: no lead was paid to say so
    for task in sorted(run.results, key=lambda t: t.ended or end):
        text = getattr(task.output, "text", None)
        said.append((task.id, task.role, text if text else task.reason, task.ended or end))
    if report is not None:
        said.append(("", "report", report.markdown, end))
    return tuple(Message(n, t, r, c, at.isoformat()) for n, (t, r, c, at) in enumerate(said, 1))


def result_of(
    run: RunResult, course: Course, question: Question, report: Report | None, toolbox: Toolbox, agents: str,
    versions: Mapping[str, str], now: Callable[[], datetime],
) -> CrewResult:  # fmt: skip
    """The result of a run whose books are closed."""
    return CrewResult(
        run.run_id, question.text, question.language, agents, status_of(run, course, report), run, course.plan, report,
        tuple(toolbox.registry.all()), tuple(toolbox.claims.values()), conversation_of(run, question, course.plan, report, now),
        tuple(course.degraded), tuple(course.warnings), course.conflicts, versions=versions,
    )  # fmt: skip
