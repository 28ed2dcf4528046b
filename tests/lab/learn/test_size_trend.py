"""The sizes of vocabularies by year: what is listed, what the sentences say, and that no name covers another."""

from itertools import combinations
from types import SimpleNamespace

from tokenarium.lab.learn.scene import to_plain_text
from tokenarium.lab.learn.size_trend import LETTER, LINE, list_vocabularies, trace_trend


def test_each_vocabulary_has_the_year_of_its_first_model(registry):
    listed = {one.name: (one.released.year, one.size) for one in list_vocabularies(registry)}
    assert next(iter(listed.items())) == ("BERT", (2018, 30_522))
    assert listed["XLM-RoBERTa"] == (2019, 250_002)
    assert listed["GPT-4o"] == (2024, 200_000)
    assert listed["Gemini 2.5"] == (2025, 262_144)
    assert not {"GPT-5", "bge-m3"} & {*listed}


def test_the_sentences_are_made_from_the_figures(registry):
    picture, table = trace_trend(registry)
    rows = {row.cells[0]: row.cells[1:] for row in table.table.rows}
    assert rows["2019"] == ("3", "32,100", "50,257", "250,002")
    assert rows["2025"] == ("6", "65,529", "157,754", "262,144")
    assert sum(int(row[0]) for row in rows.values()) == 32
    assert to_plain_text(picture.sentence).endswith("The median of 2019 is 50,257 tokens, that of 2025 is 157,754.")
    assert to_plain_text(table.sentence).endswith("Mistral Large 2411 of 2024 has 32,768 tokens.")


def test_names_cover_neither_each_other_nor_the_years(registry):
    labels = [label for label in trace_trend(registry)[0].figure.labels if label.middle]
    assert {"BERT", "GPT-2", "GPT-4", "Gemini 2.5"} <= {label.text for label in labels}
    for one, other in combinations(labels, 2):
        near = abs(one.x - other.x) < LETTER * (len(one.text) + len(other.text)) / 2
        assert not near or abs(one.y - other.y) >= LINE - 3


def test_a_server_with_few_tokenizers_has_no_trend(registry):
    few = SimpleNamespace(infos=lambda: [registry.info("gpt2"), registry.info("t5")])
    assert trace_trend(few) == []
