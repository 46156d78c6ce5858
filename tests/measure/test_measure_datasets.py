"""The documented shape is read, and the documented mappings bring rows of other sets into it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from research_crew.measure.datasets import GoldFact, load_dataset

ROWS: dict[str, tuple[tuple[Any, ...], list[GoldFact]]] = {
    "fanoutqa": (
        ({"id": "f", "question": "Populations?", "answer": {"Rome": 2800000, "Oslo": [700000]}, "categories": ["cities"]},),
        [GoldFact("2800000", subject="Rome"), GoldFact("700000", subject="Oslo")],
    ),
    "browsecomp_plus": (
        ({"query_id": 7, "query": "Who?", "answer": "Ann Lee", "gold_docs": [{"docid": "d1", "text": "…"}]},),
        [GoldFact("Ann Lee", doc_ids=("d1",))],
    ),
    "deepsearchqa": (
        ({"problem": "Which?", "answer": "Rome, Oslo", "answer_type": "Set Answer", "problem_category": "Geography"}, 1),
        [GoldFact("Rome"), GoldFact("Oslo")],
    ),
    "widesearch": (
        ({"instance_id": "ws_1", "query": "List."}, [{"Name": "Rome", "Country": "Italy", "Note": ""}]),
        [GoldFact("Italy", subject="Rome", relation="Country")],
    ),
    "frames": (({"Prompt": "How old?", "Answer": "37", "reasoning_types": "Numerical | Temporal"}, 3), [GoldFact("37")]),
}


def mappings(root: Path) -> dict[str, Any]:
    page = (root / "docs" / "datasets.md").read_text(encoding="utf-8")
    found: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(block, "docs/datasets.md", "exec"), found)
    return found


@pytest.mark.parametrize("name", list(ROWS))
def test_a_documented_mapping_gives_a_set_that_can_be_read(root: Path, tmp_path: Path, name: str) -> None:
    arguments, facts = ROWS[name]
    row = mappings(root)[name](*arguments)
    (tmp_path / "questions.jsonl").write_text(json.dumps(row) + "\n")
    (question,) = load_dataset(tmp_path).questions
    assert list(question.facts) == facts
    assert question.text and question.id


def test_the_examples_of_the_shape_are_read(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "datasets.md").read_text(encoding="utf-8")
    block = page.split("```json\n")[1].split("```")[0].replace('"2 November 1932",\n ', '"2 November 1932", ')
    lines = block.replace('"date of birth",\n ', '"date of birth", ').splitlines()
    (tmp_path / "questions.jsonl").write_text("\n".join(lines) + "\n")
    first, second = load_dataset(tmp_path).questions
    assert (first.scoring, first.facts[0].subject, first.gold_doc_ids) == ("open", "Ann Lee", ("d7",))
    assert (second.scoring, [f.object for f in second.facts]) == ("closed", ["Burbank", "Downey"])
