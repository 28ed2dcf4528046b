"""What was trained is kept under its content, listed at once in every registry, and deleted for good."""

from dataclasses import asdict, replace

import pytest
from tokenarium.errors import Invalid, LoneSurrogate, NotAllowed, UnknownFile, UnknownTokenizer
from tokenarium.lab.conformance import comparable, compare, conformance
from tokenarium.lab.languages.atlas import add_trained_columns, read_atlas
from tokenarium.lab.models import model_list
from tokenarium.lab.tokenizers.saving import delete
from tokenarium.lab.train.saving import file, list_saved
from tokenarium.registry import Registry

from tests.support.shelves import ACCOUNT, files, keep, settings, small
from tests.support.vocabularies import learned

ENGINES = {
    "bytes with special tokens": ("tiktoken", "scratch"),
    "bytes between spaces": ("tokenizers", "scratch"),
    "marked": ("tokenizers", "scratch"),
    "wordpiece in lower case": ("tokenizers", "scratch"),
    "unigram with special tokens": ("sentencepiece", "scratch"),
    "sentencepiece bpe with bytes": ("sentencepiece", "scratch"),
}


@pytest.fixture(scope="module")
def all_kept(tmp_path_factory):
    """Settings with one of each kind kept, and their ids by kind."""
    chosen = settings(tmp_path_factory.mktemp("all"))
    return chosen, {kind: keep(chosen, learned(kind), replace(ACCOUNT, title=kind)) for kind in ENGINES}


@pytest.mark.timeout(300)  # the first of them trains all kinds
@pytest.mark.parametrize("kind", ENGINES)
def test_one_that_is_kept_runs_on_its_engines_which_agree(all_kept, kind):
    chosen, ids = all_kept
    registry = Registry(chosen)
    info = registry.info(ids[kind])
    assert (info.title, info.engines, info.trained) == (kind, ENGINES[kind], True)
    assert info.vocab_size == len(learned(kind).pieces)
    assert {*info.special_tokens} == {*learned(kind).special_tokens}
    found = compare(registry, info.id, n=300)
    assert (found.mismatches, found.failures) == (0, 0), found.differences
    for token, id in info.special_tokens.items():
        for engine in info.engines:
            assert registry.get(info.id, engine).encode(token, special="parse").ids.tolist() == [id]


def test_its_account_its_files_and_what_it_takes_are_told(all_kept):
    chosen, ids = all_kept
    registry = Registry(chosen)
    one = next(one for one in list_saved(registry) if one.info.id == ids["bytes with special tokens"])
    assert asdict(one.metadata) == asdict(replace(ACCOUNT, title="bytes with special tokens"))
    made = files(learned("bytes with special tokens"))
    assert one.files == {name: len(data) for name, data in made.items()} | {"README.md": one.files["README.md"]}
    assert {*one.refusals} == {"sentencepiece.model", "minbpe.model"}
    assert one.size > sum(one.files.values())
    for name, data in made.items():
        assert file(registry, one.info.id, name) == data
    reason = r"contains white space, which this format cannot store\. Valid names are tokenizer\.json, ranks\.tiktoken"
    with pytest.raises(UnknownFile, match=reason):
        file(registry, one.info.id, "minbpe.model")
    with pytest.raises(UnknownFile, match="Only tokenizers that were trained here can be downloaded"):
        file(registry, "gpt2", "tokenizer.json")


def test_the_atlas_has_a_column_of_each(all_kept):
    chosen, ids = all_kept
    registry, atlas = Registry(chosen), read_atlas(chosen.store)
    columns = {column.id: column for column in add_trained_columns(atlas, registry).columns}
    assert {*columns} == {*ids.values()} | {column.id for column in atlas.columns}
    column = columns[ids["bytes with special tokens"]]
    assert (len(column.tokens), column.engine, sum(column.unknown)) == (len(atlas.languages), "tiktoken", 0)
    assert column.sha256 == registry.sha256(column.id)
    assert add_trained_columns(replace(atlas, sha256="of other texts"), registry).columns == atlas.columns


def test_those_trained_here_are_a_group_of_their_own_and_in_no_record(all_kept):
    chosen, ids = all_kept
    registry = Registry(chosen)
    *_, (title, rows) = model_list(registry.infos()).groups
    assert (title, {row.info.id for row in rows}) == ("Yours", {*ids.values()})
    assert not {*comparable(registry)} & {*ids.values()}
    (row,) = conformance(registry, n=5, tokenizers=[ids["marked"]])
    assert (row.tokenizer, row.mismatches) == (ids["marked"], 0)


def test_the_same_under_the_same_title_is_kept_once(tmp_path):
    chosen = settings(tmp_path)
    first = keep(chosen, small((97, 98)), ACCOUNT)
    assert first == "shan-300-pieces-" + first[-12:]
    assert keep(chosen, small((97, 98)), replace(ACCOUNT, date="2027-01-01", title=" Shan,  300\npieces")) == first
    assert keep(chosen, small((97, 99)), ACCOUNT) != first
    assert keep(chosen, small((97, 98)), replace(ACCOUNT, title="Shan")) != first
    assert [one.metadata.date for one in list_saved(Registry(chosen)) if one.info.id == first] == ["2026-11-21"]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ('<script>alert("&")</script>', "script-alert-script"),
        ("你好", "tokenizer"),
        (" \u00e9t\u00e9 \\ '''", "ete"),
        ("gpt2", "gpt2"),
        ("a" * 100, "a" * 40),
    ],
)
def test_a_title_is_data_and_the_name_of_a_folder_is_made_of_letters(tmp_path, title, slug):
    chosen = settings(tmp_path)
    id = keep(chosen, small((97, 98)), replace(ACCOUNT, title=title))
    assert id[:-13] == slug
    assert [path.name for path in chosen.local.iterdir() if path.name != ".lock"] == [id]
    assert [info.title for info in Registry(chosen).list_trained()] == [" ".join(title.split())]


def test_a_title_that_is_none_is_refused(tmp_path):
    for title in ("", " \n", "a" * 101, "a\u202e", "a\x7f", "\x00a"):
        with pytest.raises(Invalid) as refused:
            keep(settings(tmp_path), small(), replace(ACCOUNT, title=title))
        assert refused.value.pointer == "/title"
    with pytest.raises(LoneSurrogate):
        keep(settings(tmp_path), small(), replace(ACCOUNT, title="\ud800"))
    assert [*tmp_path.iterdir()] == []


def test_with_keeping_switched_off_nothing_is_written_or_deleted(tmp_path):
    chosen = settings(tmp_path)
    id = keep(chosen, small((97, 98)), ACCOUNT)
    public = replace(chosen, keep=False)
    with pytest.raises(NotAllowed, match="keeps no tokenizers"):
        keep(public, small((97, 99)), ACCOUNT)
    with pytest.raises(NotAllowed, match="deletes no tokenizers"):
        delete(public, id)
    assert [info.id for info in Registry(public).list_trained()] == [id]


def test_only_what_was_trained_here_is_deleted(tmp_path):
    chosen = replace(settings(tmp_path), hub=("someone/something",))
    id = keep(chosen, small((97, 98)), ACCOUNT)
    for name in ("gpt2", "someone/something"):
        with pytest.raises(NotAllowed, match="Only tokenizers that were trained, added or fetched here"):
            delete(chosen, name)
    for name in ("nothing", "../local", "", ".", "..", ".lock", f"../local/{id}", "a\0b", "x" * 5000):
        with pytest.raises(UnknownTokenizer):
            delete(chosen, name)
    delete(chosen, id)
    with pytest.raises(UnknownTokenizer):
        delete(chosen, id)


def test_one_that_is_damaged_can_be_deleted(tmp_path):
    chosen = settings(tmp_path)
    id = keep(chosen, small((97, 98)), ACCOUNT)
    (chosen.local / id / "tokenizer.toml").write_bytes(b"\xff")
    registry = Registry(chosen)
    assert (registry.list_trained(), registry.list_damaged(), list_saved(registry)) == ([], [id], [])
    delete(chosen, id)
    assert registry.list_damaged() == []
