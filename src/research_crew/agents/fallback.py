"""The free template writer, of no set of agents: verified claims in order, for when money or the writer is gone."""

from research_crew.agents.roles import Critique, Draft, Question
from research_crew.agents.wording import wording


def template_draft(question: Question, critique: Critique) -> Draft:
    """A draft without a model: says that nobody put the claims together, then lists them, each with its citation."""
    words = wording(question.language)
    claims = critique.kept[: question.max_claims] if question.max_claims else critique.kept
    labels = {f"c{n}": claim.id for n, claim in enumerate(claims, 1)}
    lines = [f"# {question.text}", "", f"> {words.unsynthesised}", ""]
    lines += [f"- {claim.text} [{label}]" for label, claim in zip(labels, claims, strict=True)]
    return Draft(
        "\n".join(lines) + "\n", labels, claims, support=critique.support, conflicts=critique.conflicts, by="template"
    )
