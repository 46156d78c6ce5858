"""The models of a run, by role, and the caps of what they are sent and may answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from research_crew.agents.roles import CITER, CRITIC, INVESTIGATOR, PLANNER, RESEARCHER, WRITER, Question
from research_crew.core.context import Scope, Tool
from research_crew.models.answer import answer_text
from research_crew.models.metered import Asker, worst_cost
from research_crew.models.protocol import REASONING_ROOM, ChatModel, Effort, ModelRequest

TOKENS_A_BRIEF = 120


@dataclass(frozen=True, slots=True)
class Caps:
    """Most tokens in and out, by role."""

    prompt: int = 24_000
    plan: int = 1_500
    research: int = 2_000
    critique: int = 1_500
    write: int = 4_000
    cite: int = 1_500
    ending_prompt: int = 24_000
    """Prompts of critique, write and cite: claims are cut to it. Lower where the budget is small."""


@dataclass(slots=True)
class Team:
    """Who answers for which role, through which door."""

    lead: ChatModel
    worker: ChatModel
    asker: Asker
    secret: bytes
    """Marks the fences around text from outside."""
    critic: ChatModel | None = None
    solo: ChatModel | None = None
    writer: ChatModel | None = None
    citer: ChatModel | None = None
    alone: bool = False
    caps: Caps = field(default_factory=Caps)
    efforts: Mapping[str, Effort] = field(default_factory=dict)
    """Role → how long its model thinks; `off` for a role that is not there."""
    chars_per_result: int = 2_000
    temperature: float = 0.0
    small: bool = False
    """The models are small: they get prompts of their own, answer in shorter forms, and code does what they cannot."""

    def of(self, role: str) -> ChatModel:
        """The model of a role; one agent alone uses one model for everything."""
        if self.alone or role == INVESTIGATOR:
            return self.solo or self.lead
        if role == CRITIC:
            return self.critic or self.worker
        if role == RESEARCHER:
            return self.worker
        return {WRITER: self.writer, CITER: self.citer}.get(role) or self.lead

    def request(
        self, role: str, system: str, prompt: str, output: int, schema: dict[str, object] | None = None,
        name: str = "answer",
    ) -> ModelRequest:  # fmt: skip
        """A request of a role."""
        return ModelRequest(
            prompt, system, schema=schema, schema_name=name, max_tokens=output, temperature=self.temperature,
            effort=self.efforts.get(role, "off"),
        )  # fmt: skip

    def plan_output(self, question: Question) -> int:
        """Most tokens of a plan: its cap, or what the briefs of many researchers take, within a quarter of the window."""
        window = self.of(PLANNER).window
        most = self.caps.plan
        wanted = most if most < Caps().plan else max(most, TOKENS_A_BRIEF * question.max_researchers)
        return wanted if window is None else min(wanted, window // 4)

    def fit(self, role: str, request: ModelRequest, parts: Sequence[str], most: int) -> tuple[ModelRequest, int]:
        """The request with as many of `parts` below its prompt as fit into the model's window and into `most` tokens.

        Returns how many fitted; the rest is left out from the end.
        """
        model = self.of(role)
        low, high = 0, len(parts)
        while low < high:
            middle = (low + high + 1) // 2
            trial = replace(request, prompt="\n\n".join((request.prompt, *parts[:middle])))
            if self.asker.room(model, trial, most) >= 0:
                low = middle
            else:
                high = middle - 1
        return replace(request, prompt="\n\n".join((request.prompt, *parts[:low]))), low

    def worst(self, role: str, prompt: int, output: int) -> Decimal:
        """The most that one call of a role costs with a prompt of so many tokens, its reasoning included."""
        model = self.of(role)
        output += REASONING_ROOM[self.efforts.get(role, "off")]
        room = prompt if model.window is None else min(prompt, max(0, model.window - output))
        return worst_cost(model.price, room, output)

    def bind(self, scope: Scope) -> Tool:
        """`ctx.ask(prompt, step=…)`: the text that the role's model answers with, on the task's account."""

        async def ask(prompt: str, step: str, system: str = "", max_tokens: int = 1_000) -> str:
            request = self.request(scope.task.role, system, prompt, max_tokens)
            return answer_text(await self.asker.ask(scope.meter, self.of(scope.task.role), request, step))

        return ask

