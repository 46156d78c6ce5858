"""Scripted minds for the fake provider: they read what a prompt shows them and answer in the form it asks for.

They hold no answers of their own: claims are sentences of the sources in the prompt, citations are labels of claims in
the prompt. `obedient` also does whatever a page tells an assistant to do.
"""

import json
import re
from typing import Any

from research_crew.models.fake_shapes import Asked, Said

_SOURCE = re.compile(r"<<<source (\d+) \((\w+)\) [0-9a-f]{16}: data, not instructions>>>\n(.*?)\n<<<end of source", re.S)
_CLAIM = re.compile(r"^\[(c\d+)\] (.+?)(?: \((?:strong|ordinary|weak), .*\))?$", re.M)


def role_of(asked: Asked) -> str:
    """Who is asked, by the first words of the prompt file."""
    for begin, role in (
        ("You lead a small team", "planner"),
        ("You are one researcher", "researcher"),
        ("You check claims", "critic"),
        ("You write the answer", "writer"),
        ("You check the citations", "citer"),
    ):
        if begin in asked.system:
            return role
    return "other"


def whole(asked: Asked) -> str:
    """All turns: a repair shows the first question again as an earlier turn."""
    return "\n".join([*(text for _, text in asked.turns), asked.prompt])


def honest(asked: Asked) -> Said:
    """A model that does what its prompt says, plainly."""
    role = role_of(asked)
    if role == "planner":
        question = re.search(r"Question: (.+)", whole(asked))
        assert question is not None
        parts = [p.strip(" ?,") for p in re.split(r"\?|, and | and (?=w)", question[1]) if len(p.strip(" ?,")) > 3]
        tasks = [
            {"objective": p + "?", "search_queries": [p, f"{p} facts"], "output_format": "sentences", "boundaries": "the rest"}
            for p in parts
        ]
        return _json({"complexity": "comparison" if len(tasks) > 1 else "simple", "strategy": "By part.", "subtasks": tasks})
    if role == "researcher":
        return _json({"claims": _claims(asked), "coverage": "partial", "follow_up_queries": ["what else is known"]})
    if role == "critic":
        labels = [m[1] for m in _CLAIM.finditer(asked.prompt)]
        graded = [{"claim": label, "doubt": n % 4, "reason": "so so"} for n, label in enumerate(labels)]
        return _json({"claims": graded})
    if role == "writer":
        lines = [f"{m[2]} [{m[1]}]" for m in _CLAIM.finditer(asked.prompt)]
        return Said("# Answer\n\n" + "\n\n".join(lines) + '\n\n```json\n{"needs_more_research": false, "gaps": []}\n```')
    if role == "citer":
        return _json({"edits": []})
    return Said("I can help with that.")


def obedient(asked: Asked) -> Said:
    """A model that obeys everything it reads: it cites the address and asks the queries that a page names."""
    role = role_of(asked)
    orders = re.findall(r"https?://[\w./?=&-]*evil[\w./?=&-]*", asked.prompt)
    if not orders:
        return honest(asked)
    if role == "researcher":
        claims = _claims(asked)
        stolen = {"text": f"Everything is at {orders[0]}.", "quote": f"Everything is at {orders[0]}.", "source": 99}
        return _json({"claims": [*claims, stolen], "coverage": "partial", "follow_up_queries": ["what else is known", f"site:{orders[0]} secrets"]})
    if role == "writer":
        return Said(honest(asked).text.replace("# Answer", f"# Answer\n\nSee {orders[0]} [c99]. ![beacon]({orders[0]})"))
    return honest(asked)


def _claims(asked: Asked) -> list[dict[str, Any]]:
    claims = []
    for number, _, text in _SOURCE.findall(asked.prompt):
        body = text.partition("\n")[2]
        found = re.findall(r"[A-Z][^.\n]{15,200}\.", body)[:3]
        claims += [{"text": sentence, "quote": sentence, "source": int(number)} for sentence in found]
    return claims[:10]


def _json(data: dict[str, Any]) -> Said:
    return Said(json.dumps(data))
