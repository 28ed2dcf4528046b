"""The texts of the course: every scene has its own, nothing is unused, and a wrong key is named."""

import ast
import re
from dataclasses import fields
from string import Formatter
from typing import get_args

import pytest
from tokenarium.lab.learn import prose
from tokenarium.lab.learn.calculators import CALCULATORS
from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.learn.glossary import TERMS
from tokenarium.lab.learn.prose import FOLDER, SENTENCES, SOURCES, Publication, build, fill, read_prose
from tokenarium.lab.learn.scene import LEVELS, Basis, Claim, Mathematics, build_scene
from tokenarium.settings import PACKAGE

SENTENCE = re.compile(r"[A-Z{(▁α].*[.?!]|[a-z ]+", re.DOTALL)
"""A sentence, perhaps with places, or a label in small letters."""


def trees():
    """The modules of the course."""
    for path in sorted((PACKAGE / "lab/learn").glob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def list_calls(tree, *names):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names]


def calls():
    """The sentences that the modules of the course fill: each name, with the names of its values."""
    for tree in trees():
        for node in list_calls(tree, "fill", "say"):
            if isinstance(node.args[0], ast.Constant):
                yield node.args[0].value, frozenset(keyword.arg for keyword in node.keywords)


def computed():
    """The sentences whose names are computed: how a name begins and ends, and the strings that can stand between."""
    listed = {key for path in FOLDER.glob("*.toml") for key in read_prose(path.name)} | {one.id for one in SCENES}
    for path in (PACKAGE / "scratch").glob("*.py"):
        listed |= {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
    for tree in trees():
        strings = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        for node in list_calls(tree, "fill", "say"):
            if isinstance(node.args[0], ast.JoinedStr):
                ends = [getattr(node.args[0].values[at], "value", "") for at in (0, -1)]
                begin, end = (one if isinstance(one, str) else "" for one in ends)
                yield begin, end, strings | listed


def asked():
    """The tables of questions, each with the keys and the names of values in its module."""
    for tree in trees():
        strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        for node in list_calls(tree, "ask"):
            if isinstance(node.args[0], ast.Constant):
                names = {keyword.arg for keyword in node.keywords}
                yield node.args[0].value, strings | names | {"prompt", "reason", "given"}


def written():
    """The sentences of the files: each name, with the names of its places."""
    for one in SCENES:
        for table in SENTENCES:
            for key, sentence in read_prose(f"scenes/{one.id}.toml").get(table, {}).items():
                places = frozenset(place for _, place, _, _ in Formatter().parse(sentence) if place is not None)
                yield f"{one.id}.{table}.{key}", places


def test_every_sentence_is_filled_with_the_values_of_its_places():
    tables = dict(asked())
    filled, wanted = {*calls()}, {*written()}
    assert filled <= wanted
    names = {f"{begin}{between}{end}" for begin, end, strings in computed() if begin or end for between in strings}
    own = [one for one in wanted - filled if one[0] not in names]
    unfilled = [(name.rpartition("."), places) for name, places in own]
    assert [key for (table, _, key), places in unfilled if not {key, *places} <= tables.get(table, set())] == []


def test_every_file_is_that_of_a_scene():
    assert sorted(path.stem for path in (FOLDER / "scenes").glob("*.toml")) == sorted(one.id for one in SCENES)


@pytest.mark.parametrize("one", SCENES, ids=lambda one: one.id)
def test_every_scene_has_its_texts(one):
    texts = [one.title, one.label, one.text, one.claim.text]
    texts += [text for broken in one.broken for text in (broken.text, broken.shows)]
    texts += [text for link in one.opens for text in (link.label, link.address)]
    assert all(texts)
    assert len(one.explains) >= 2
    assert len(one.broken) >= 2
    assert all(claim.basis in get_args(Basis) for claim in (one.claim, *one.explains))
    assert (one.level in range(1, len(LEVELS) + 1), one.mathematics in get_args(Mathematics)) == (True, True)
    assert all(bool(claim.reviewed) == bool(claim.resolves) for claim in (one.claim, *one.explains))
    assert "prompt" in read_prose(f"scenes/{one.id}.toml")["question"]
    assert all(SENTENCE.fullmatch(text) for text in read_prose(f"scenes/{one.id}.toml")["question"].values())


def test_what_the_course_cites_is_in_the_sources_and_nothing_else():
    cited = {source for one in SCENES for source in one.sources}
    cited |= {term.source for term in TERMS if term.source} | {one.source for one in CALCULATORS}
    assert cited == {*SOURCES}


def test_every_calculator_has_its_texts_and_no_text_is_left():
    assert [one.id for one in CALCULATORS] == [*read_prose("calculators.toml")]
    assert all(one.title and one.prompt.endswith("?") for one in CALCULATORS)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"txt": "It is."}, f"has the key txt, but can only have {', '.join(one.name for one in fields(Claim))}."),
        ({"basis": "source"}, "needs the key text."),
        ({"text": 1}, "has a text that is no str."),
    ],
)
def test_a_wrong_key_is_named_with_file_and_table(table, message):
    with pytest.raises(ValueError, match=rf"^scenes/bpe\.toml: \[claim\] {re.escape(message)}$"):
        build(Claim, table, "scenes/bpe.toml: [claim]")


def test_a_year_is_a_number():
    table = {"authors": "Philip Gage", "year": "1994", "title": "A New Algorithm", "identifier": ""}
    with pytest.raises(ValueError, match=r"^sources\.toml: \[gage-1994\] has a year that is no int\.$"):
        build(Publication, table, "sources.toml: [gage-1994]")


@pytest.fixture
def scene_from(tmp_path, monkeypatch):
    """A function that builds a scene from the text of a file."""
    (tmp_path / "scenes").mkdir()
    monkeypatch.setattr(prose, "FOLDER", tmp_path)
    read_prose.cache_clear()

    def build_from(text):
        (tmp_path / "scenes/new.toml").write_text(text, encoding="utf-8")
        return build_scene("new")

    yield build_from
    read_prose.cache_clear()


FUNCTIONS = 'trace = "merging.trace_bpe"\nsample = "prose.sample_word"\ncode = ["bpe.encode"]\n'
TEXTS = f'title = "New"\n{FUNCTIONS}label = "A text"\ntext = "a"\n'
TEXTS += '[claim]\ntext = "It is."\nbasis = "convention"\n[transfer]\nquestion = "And there?"\nanswer = "There too."\n'


def test_a_scene_is_built_from_its_file(scene_from):
    one = scene_from(TEXTS + '[[broken]]\ntext = "b"\nshows = "It is not."\n')
    assert (one.title, one.claim, one.explains) == ("New", Claim("It is.", "convention"), ())
    assert [(broken.text, broken.shows) for broken in one.broken] == [("b", "It is not.")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXTS.replace("label", "lable"), "scenes/new.toml has the key lable, but can only have title, label, text"),
        (TEXTS.replace('title = "New"\n', ""), "scenes/new.toml needs the key title."),
        (TEXTS.partition("[claim]")[0], "scenes/new.toml: [claim] needs the key text."),
        (TEXTS + '[[broken]]\ntext = "b"\n', "scenes/new.toml: [[broken]] 1 needs the key shows."),
        (TEXTS + '[[opens]]\nlabel = "b"\nadress = "/"\n', "scenes/new.toml: [[opens]] 1 has the key adress"),
        (TEXTS + "[quest]\n", "scenes/new.toml has the key quest"),
        (TEXTS + "text\n", "scenes/new.toml: "),
        (TEXTS.replace(".trace_bpe", ".trace_bep"), "scenes/new.toml names the function merging.trace_bep"),
        (TEXTS.replace("merging.", "merges."), "scenes/new.toml names the function merges.trace_bpe"),
    ],
)
def test_a_file_with_an_error_is_refused_by_name(scene_from, text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        scene_from(text)


@pytest.mark.parametrize("name", ["bpe.question.nothing", "bpe.nothing.prompt", "bpe.claim.nothing"])
def test_a_sentence_that_is_not_written_is_named(name):
    scene, table, key = name.split(".")
    with pytest.raises(ValueError, match=rf"^scenes/{scene}\.toml: \[{table}\] needs the key {key}, a sentence\.$"):
        fill(name)


def test_no_two_sources_have_one_name_and_more_than_three_authors_are_shortened():
    names = [source.short for source in SOURCES.values()]
    assert len({*names}) == len(names)
    assert all(
        (" et al. " in source.short) == (source.authors.count(",") > 2 or "others" in source.authors)
        for source in SOURCES.values()
    )
    assert [SOURCES[id].short for id in ("kudo-2018", "kudo-richardson-2018")] == [
        "Kudo 2018",
        "Kudo and Richardson 2018",
    ]


def test_no_claim_has_a_basis_by_default():
    with pytest.raises(TypeError, match="basis"):
        Claim("It is.")


def test_what_is_cited_is_cited_with_its_place():
    claims = [claim for one in SCENES for claim in (one.claim, *one.explains) if claim.basis == "source"]
    without = {claim.source for claim in claims if not claim.place}
    assert without == {"gage-1994", "schuster-2012", "hewitt-2021", "land-2024", "rumbelow-2023", "tiktoken-2022"}
