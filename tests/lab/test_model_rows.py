"""The rows of the picker: models by name, newest first, and what to do for those that are not here."""

from datetime import date

from tokenarium.lab.model_rows import model_list, models
from tokenarium.types import TokenizerInfo


def rows(infos):
    return {title: [row.label for row in members] for title, members in model_list(infos).groups}


def info(id, title="", **fields):
    return TokenizerInfo(id, title or id, fields.pop("family", "bpe"), ("scratch",), 10, lossless=True, **fields)


def test_models_are_listed_by_name_and_vocabulary_newest_first(registry):
    assert rows(registry.infos())["Popular"][:5] == [
        "DeepSeek V4 · deepseek-v3",
        "Gemini 3.1 · gemma4",
        "GPT-5 · o200k_base",
        "o3, o4-mini · o200k_base",
        "GPT-4.1 · o200k_base",
    ]


def test_what_is_not_here_comes_last_and_says_what_to_do(registry):
    popular = rows([one for one in registry.infos() if one.id == "o200k_base"])["Popular"]
    assert popular[4:] == [
        "Llama 4: not included: download",
        "Llama 3: not included: download",
        "Claude 3 and later: no public tokenizer",
    ]


def test_every_tokenizer_has_a_row(registry):
    infos = registry.infos()
    assert set(model_list(infos).newest) == {one.id for one in infos}


def test_a_tokenizer_without_an_entry_has_a_row_of_its_own_and_a_trained_one_is_yours():
    new = info("new-1", "New", models=("New 7B",))
    trained = info("mine-0123456789ab", "Mine", origin="trained")
    assert rows([new])["Open"][0] == "New · new-1"
    assert rows([new, trained])["Yours"] == ["Mine · mine-0123456789ab"]


def test_a_vocabulary_is_found_by_models_of_its_own_description_that_have_no_entry(registry):
    newest = model_list(registry.infos()).newest["o200k_base"]
    assert (newest.name, newest.released) == ("GPT-5", date(2025, 8, 7))
    assert "GPT-4o" not in newest.also


def test_no_two_entries_have_a_name():
    names = [one.name for one in models()]
    assert len(names) == len(set(names))


def test_rows_can_be_limited_to_some_tokenizers(registry):
    only = model_list(registry.infos()).only(["gpt2", "bytes"])
    assert [title for title, _ in only.groups] == ["Classic"]
    assert [row.label for row in only.groups[0][1]] == ["GPT-2 · gpt2", "Bytes"]
