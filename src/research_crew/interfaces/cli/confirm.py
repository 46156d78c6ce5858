"""`--confirm`: the plan with its price range, before research is bought; the person agrees, edits or refuses.

The prompt stands on standard error and reads standard input, so that standard output holds the result alone.
"""

import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from research_crew.agents.plan_text import brief_of, plan_text, queries_of, read_plan
from research_crew.agents.roles import Plan
from research_crew.core.errors import InvalidInput, UserError
from research_crew.core.money import show
from research_crew.fitting import Proposal

_HELP = """  yes (or Enter)     research this plan
  no                 buy nothing more
  drop N             leave a brief out
  add OBJECTIVE      add a brief
  edit N OBJECTIVE   change what a brief is to find out
  queries N A; B     change what is searched for
  editor             edit the whole plan in $EDITOR"""


class Asker:
    """The `confirm` hook of the command line."""

    def __init__(
        self, say: Callable[[str], None], ask: Callable[[str], str], edit: Callable[[str], str] | None = None
    ) -> None:
        """`say` prints a line, `ask` reads one (raising `EOFError` at the end of the input), `edit` edits a text."""
        self._say, self._ask, self._edit = say, ask, edit

    def __call__(self, proposal: Proposal) -> Plan | None:
        """See `Confirm`; the end of the input and Ctrl-C are a refusal."""
        plan = proposal.plan
        self._show(plan, proposal)
        with _own_interrupt():
            while True:
                try:
                    line = self._ask("research this plan? [yes/no/drop/add/edit/queries/editor/help] ").strip()
                except (EOFError, KeyboardInterrupt):
                    self._say("\nnothing more is bought")
                    return None
                word, _, rest = line.partition(" ")
                if word.lower() in ("", "y", "yes"):
                    return plan
                if word.lower() in ("n", "no", "q", "quit"):
                    self._say("nothing more is bought")
                    return None
                try:
                    changed = self._changed(plan, word.lower(), rest.strip())
                except UserError as mistake:
                    self._say(str(mistake))
                    continue
                if changed is not None:
                    plan = changed
                    self._show(plan, replace(proposal, plan=plan))

    def _changed(self, plan: Plan, word: str, rest: str) -> Plan | None:
        briefs = list(plan.subtasks)
        if word == "add":
            if not rest:
                raise InvalidInput("add", "", "say what the brief is to find out: add OBJECTIVE")
            briefs.append(replace(brief_of(rest), search_queries=(rest,)))
        elif word in ("drop", "edit", "queries"):
            place, _, text = rest.partition(" ")
            number = int(place) if place.isdecimal() else 0
            if not 1 <= number <= len(briefs):
                raise InvalidInput(word, place, f"name a brief from 1 to {len(briefs)}")
            if word == "drop":
                if len(briefs) == 1:
                    raise InvalidInput(word, place, "it is the last brief; say no to buy nothing more")
                del briefs[number - 1]
            elif not text.strip():
                raise InvalidInput(word, place, f"say what with: {word} {number} TEXT")
            elif word == "edit":
                briefs[number - 1] = replace(briefs[number - 1], objective=" ".join(text.split()))
            else:
                briefs[number - 1] = replace(briefs[number - 1], search_queries=queries_of(text))
        elif word == "editor":
            if self._edit is None:
                raise UserError("no editor is set; set EDITOR, or use drop, add, edit and queries")
            edited = read_plan(self._edit(plan_text(plan)), plan)
            if not edited.subtasks:
                raise UserError("the edited plan has no brief; the plan stays as it was")
            return edited
        else:
            self._say(_HELP)
            return None
        return replace(plan, subtasks=tuple(briefs))

    def _show(self, plan: Plan, proposal: Proposal) -> None:
        self._say(f"\nplan ({plan.complexity}): {plan.strategy}")
        for number, brief in enumerate(plan.subtasks, 1):
            self._say(f"  {number}. {brief.objective}")
            self._say(f"     queries: {'; '.join(brief.search_queries)}")
        most = f" of {len(plan.subtasks)} briefs" if proposal.researchers < len(plan.subtasks) else ""
        self._say(
            f"{proposal.researchers} researchers{most}, {proposal.rounds} rounds; from {show(proposal.low)} to "
            f"{show(proposal.high)} {proposal.currency} in all, {show(proposal.spent)} of it spent on the plan; "
            f"limit {show(proposal.limit)}"
        )


def at_terminal(editor: str, say: Callable[[str], None]) -> Asker:
    """The hook for a person at a terminal; `say` prints a line. Raises `UserError` where standard input is none."""
    if not sys.stdin.isatty():
        raise UserError(
            "--confirm asks at a terminal, and standard input is none; leave it out, or confirm in Python with "
            "Crew(confirm=...)"
        )

    def ask(prompt: str) -> str:
        print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    return Asker(say, ask, (lambda text: in_editor(editor, text)) if editor else None)


def in_editor(editor: str, text: str) -> str:
    """What a person makes of a text in their editor. Raises `UserError` when it cannot be run or fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.txt"
        note = "# Drop, change or add briefs; each begins with a number and a dot. An empty file changes nothing.\n\n"
        file.write_text(note + text, encoding="utf-8")
        try:
            done = subprocess.run([*shlex.split(editor), str(file)], check=False)
        except (OSError, ValueError) as error:
            raise UserError(f"the editor {editor!r} cannot be run: {error}; set EDITOR") from None
        if done.returncode:
            raise UserError(f"the editor {editor!r} ended with {done.returncode}; the plan stays as it was")
        written = file.read_text(encoding="utf-8", errors="replace")
    return written if written.strip() else text


@contextmanager
def _own_interrupt() -> Iterator[None]:
    """Ctrl-C at the prompt refuses the plan instead of asking the run to stop."""
    try:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
    except ValueError:  # not the main thread: there is no signal to take
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
