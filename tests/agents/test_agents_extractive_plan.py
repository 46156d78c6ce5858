"""How questions are divided, in six languages."""

import pytest
from extractive_pages import question

from research_crew.agents.extractive.planner import plan
from research_crew.agents.names import mentions, names


@pytest.mark.parametrize(
    ("text", "language", "subjects"),
    [
        ("Which film was released first, Truck Turner or Boundaries of the Heart?", "en", ["Truck Turner", "Boundaries of the Heart"]),
        ("Who is older, Priscilla, Queen of the Desert or Emma Peel?", "en", ["Priscilla, Queen of the Desert", "Emma Peel"]),
        ("Compare Berlin, Paris and Rome by population", "en", ["Berlin", "Paris", "Rome"]),
        ("Was ist der Unterschied zwischen der Fichte und der Tanne?", "de", ["Fichte", "Tanne"]),
        ("Quelle est la différence entre le TGV et l'AVE ?", "fr", ["TGV", "AVE"]),
        ("¿Quién nació antes, Pablo Picasso o Salvador Dalí?", "es", ["Pablo Picasso", "Salvador Dalí"]),
        ("比较北京和上海的人口", "zh", ["北京", "上海"]),
        ("東京と大阪の人口の違いは何ですか", "ja", ["東京", "大阪"]),
    ],
)  # fmt: skip
def test_names_side_by_side_get_a_brief_each(text: str, language: str, subjects: list[str]) -> None:
    made = plan(question(text, language))
    assert made.complexity == "comparison"
    assert [brief.objective.partition(": ")[0] for brief in made.subtasks] == subjects
    for brief, subject in zip(made.subtasks, subjects, strict=True):
        assert all(subject in query for query in brief.search_queries)
        others = [s for s in subjects if s != subject]
        assert all(other in brief.boundaries for other in others)
        assert not any(other in query for query in brief.search_queries for other in others)


@pytest.mark.parametrize(
    "text",
    [
        "Who is the spouse of the director of film Up, Down, Fragile?",
        "Along with Kenny G and the performer of Off the Beaten Path, what artist was featured on smooth jazz stations?",
        "When was Jarosław, Duke of Opole's father born?",
        "Who played the spoilt character in Charlie and the Chocolate Factory?",
    ],
)
def test_a_question_on_one_thread_goes_to_one_researcher(text: str) -> None:
    made = plan(question(text))
    assert (made.complexity, len(made.subtasks)) == ("simple", 1)
    assert made.subtasks[0].search_queries[0] == text


def test_parts_that_can_be_asked_alone_are_asked_alone() -> None:
    made = plan(question("What does the grey heron eat, and where does the common crane winter?"))
    assert [b.objective for b in made.subtasks] == [
        "What does the grey heron eat",
        "where does the common crane winter?",
    ]
    assert made.subtasks[0].boundaries == "not: where does the common crane winter?"


def test_a_part_that_says_it_is_given_the_name() -> None:
    made = plan(question("Wie hoch ist der Mont Blanc und wann wurde er zuerst bestiegen?", "de"))
    assert "Mont Blanc" in made.subtasks[1].objective


def test_never_more_briefs_than_researchers() -> None:
    many = question("Compare Berlin, Paris, Rome, Madrid, Vienna and Prague by size", max_researchers=2)
    assert len(plan(many).subtasks) == 2


def test_a_later_loop_plans_for_the_gaps_alone_with_the_queries_nobody_asked() -> None:
    later = question("What do herons eat, and where do cranes winter?", gaps=("where do cranes winter",))
    made = plan(later, {"where do cranes winter": ["Spain crane winter"]})
    assert [b.objective for b in made.subtasks] == ["where do cranes winter"]
    assert made.subtasks[0].search_queries[0] == "Spain crane winter"


def test_months_peoples_and_german_nouns_are_no_names() -> None:
    assert names("It opened on 4 March 1936 in New York with Anne Shirley.") == ["New York", "Anne Shirley"]
    weights = {m.name: m.weight for m in mentions("He met the Polish pianist Clara Haskil.")}
    assert weights["Polish"] < weights["Clara Haskil"]
    assert names("Die Tanne und der Ahorn wachsen im Wald bei Garmisch Partenkirchen.", "de") == [
        "Garmisch Partenkirchen"
    ]
