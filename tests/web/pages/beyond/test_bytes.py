"""/beyond/bytes: entropies and patches as JSON and on the page, typos, predictions, downloads, and refusals."""

import csv
import html
import io
import re

import pytest
from tokenarium.lab.beyond.byte_model import HELD_OUT, load, load_figures, train
from tokenarium.lab.beyond.bytes import PatchOptions, study
from tokenarium.lab.beyond.bytes_view import curve
from tokenarium.lab.languages.declarations import declarations
from tokenarium.settings import Settings

from tests.support.strings import NASTY

STORE = Settings().store
TEXT = "The tokenizer reads strawberry as three tokens."


def api(ask, **body):
    answer = ask("POST", "/api/beyond/bytes", json={"text": TEXT, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def cut(answer, id):
    return next(one for one in answer["cuts"] if one["id"] == id)


def test_the_stored_model_is_what_its_command_trains_and_takes_less_than_a_megabyte():
    stored, trained = load(STORE), train(STORE)
    for one, other in zip(stored.orders, trained.orders, strict=True):
        assert (one.keys == other.keys).all()
        assert (one.starts == other.starts).all()
        assert (one.following == other.following).all()
        assert (one.counts == other.counts).all()
    assert sum(file.stat().st_size for file in (STORE / "byte-model").iterdir()) < 1_000_000


def test_bits_per_byte_on_unseen_articles_are_near_those_of_a_model_of_sixteen_languages():
    figures = {one.code: one for one in load_figures(STORE)}
    near = {"eng": 3.18, "fra": 2.97, "jpn": 2.94, "arb": 2.11, "rus": 1.75}
    for code, bits in near.items():
        assert figures[code].bits_per_byte == pytest.approx(bits, rel=0.12)
        text = declarations(STORE)[code].of(HELD_OUT).encode()
        assert load(STORE).bits_per_byte(text) == pytest.approx(figures[code].bits_per_byte, abs=0.001)
    assert len(figures) == 524
    assert figures["eng"].monotonic_05 == pytest.approx(3.42, abs=0.01)


def test_the_api_answers_entropies_limits_and_every_cut(ask):
    answer = api(ask, tokenizers=["gpt-4o", "bert-base-uncased"], stride=10)
    assert answer["bytes"] == 47 == len(answer["entropies"]) == len(answer["limits"])
    begins = [0] + [at for at in range(1, 47) if answer["entropies"][at] - answer["entropies"][at - 1] > 0.5]
    assert cut(answer, "monotonic")["starts"] == begins
    assert cut(answer, "stride")["starts"] == [0, 10, 20, 30, 40]
    assert cut(answer, "space-like")["starts"] == [0, 4, 14, 20, 31, 34, 40]
    assert (cut(answer, "o200k_base")["count"], cut(answer, "bert-base-uncased")["count"]) == (8, 10)
    assert cut(answer, "o200k_base")["operations"] == 2 * 6_979_588_096 * 8 + 4 * 32 * 4096 * 64


@pytest.mark.parametrize(("rule", "options"), [("global", {"threshold": 2.0}), ("combined", {}), ("size", {"size": 6})])
def test_each_rule_begins_patches_where_the_entropy_says(ask, rule, options):
    answer = api(ask, rule=rule, **options)
    starts = cut(answer, rule)["starts"]
    rows = [*enumerate(zip(answer["entropies"], answer["limits"], strict=True))]
    assert starts == [at for at, (entropy, limit) in rows if at == 0 or entropy > limit]
    if rule == "size":
        assert len(starts) == 47 // 6


def test_a_typo_moves_what_is_around_it_and_a_fixed_stride_all_that_follows(ask):
    answer = api(ask, typo="drop", at=5, stride=4, tokenizers=["o200k_base"])
    assert answer["typo"]["text"] == "The tkenizer reads strawberry as three tokens."
    moved = {one["id"]: one for one in answer["typo"]["cuts"]}
    assert len(moved["stride"]["new"]) == 11  # all but the first
    assert (moved["space-like"]["new"], moved["space-like"]["gone"]) == ([1], 1)
    assert 0 < len(moved["monotonic"]["new"]) < 5
    assert moved["o200k_base"]["count_before"] == 8 < moved["o200k_base"]["count"]


@pytest.mark.parametrize("rule", ["monotonic", "size"])
def test_every_nasty_string_is_cut_without_loss(ask, rule):
    for text in NASTY.values():
        if len(text.encode()) > 20_000:
            continue
        answer = api(ask, text=text, rule=rule, typo="swap")
        for one in answer["cuts"]:
            assert one["starts"][1:] == one["ends"][:-1]
            assert one["ends"][-1:] == [len(text.encode())][: len(text)]


def test_all_languages_are_listed(ask):
    rows = ask("GET", "/api/beyond/bytes/languages").json()
    assert len(rows) == 524
    assert {"code", "name", "bits_per_byte", "monotonic_05"} <= rows[0].keys()


def test_the_page_draws_each_byte_and_its_address_says_it_all(ask):
    form = {"text": TEXT, "rule": "global", "threshold": "2", "tokenizer": "bert-base-uncased", "typo": "swap"}
    page = ask("POST", "/beyond/bytes", data=form)
    assert (page.status_code, page.text.count('<span class="cell ')) == (200, 47)
    assert "reads strabwerry" in page.text
    (address,) = re.findall(r'data-address="([^"]+)"', page.text)
    linked = ask("GET", html.unescape(address))
    assert re.findall(r'data-address="([^"]+)"', linked.text) == [address]
    assert "BERT base, uncased" in linked.text


def test_a_prediction_hides_the_entropies_until_one_is_chosen(ask):
    page = ask("GET", "/beyond/bytes", params={"text": TEXT, "after": "1"})
    assert "How hard each byte is" not in page.text
    guesses = re.findall(r'<a class="guess" href="([^"]+)"', page.text)
    assert len(guesses) == 10
    texts = [ask("GET", html.unescape(guess)).text for guess in guesses]
    assert [text.count("<strong>Right.</strong>") for text in texts] == [0, 1] + [0] * 8  # to|ken
    assert all("How hard each byte is" in text for text in texts)
    assert "Here it is." in ask("GET", "/beyond/bytes", params={"text": TEXT, "after": "1", "guess": "10"}).text


@pytest.mark.parametrize(("rule", "level"), [("monotonic", "rise"), ("global", "threshold"), ("combined", "threshold")])
def test_the_curve_of_sizes_is_what_each_level_gives(ask, registry, rule, level):
    shown = curve(study(registry, STORE, PatchOptions(text=TEXT, rule=rule)))
    points = [tuple(map(float, point.split(","))) for point in shown.points.split()]
    for step in (0, 16, 40):
        value = shown.most * step / 80
        size = cut(api(ask, rule=rule, **{level: value}), rule)["bytes_per_unit"]
        assert points[step] == pytest.approx((step * 4, 120 * (1 - min(size, 16) / 16)), abs=0.0501)
    assert curve(study(registry, STORE, PatchOptions(text=TEXT, rule="size"))) is None


def test_a_language_opens_an_article_that_the_model_has_not_seen(ask):
    page = ask("GET", "/beyond/bytes?language=fra").text
    assert "Toute personne a droit à ce que règne" in page


def test_an_error_keeps_what_was_typed(ask):
    page = ask("POST", "/beyond/bytes", data={"text": "kept text", "threshold": "7"})
    assert (page.status_code, 'role="alert"' in page.text, "kept text" in page.text) == (422, True, True)


def test_the_downloads_have_every_byte_and_a_picture(ask):
    table = ask("POST", "/beyond/bytes/download", data={"text": "é", "format": "csv"}).text
    rows = [*csv.DictReader(io.StringIO(table))]
    assert [(row["hex"], row["byt5_id"]) for row in rows] == [("c3", "198"), ("a9", "172")]
    drawn = ask("POST", "/beyond/bytes/download", data={"text": TEXT, "format": "svg"})
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert "16 patches of 47 bytes" in drawn.text
    for text in (
        "nats",
        "5.55",
        "what it must exceed",
        "a patch begins",
        "entropy of a byte, given the bytes before it",
    ):
        assert f">{text}</text>" in drawn.text
    long = ask("POST", "/beyond/bytes/download", data={"text": "ab" * 300, "format": "svg"})
    assert "The first 480 bytes; 120 that follow are left out." in long.text
    whole = ask("POST", "/beyond/bytes/download", data={"text": TEXT, "format": "json", "tokenizer": "gpt2"})
    assert whole.json() == api(ask, tokenizers=["gpt2"])


def test_a_text_is_escaped(ask):
    page = ask("GET", "/beyond/bytes", params={"text": "<script>alert(1)</script>", "typo": "double"})
    assert "<script>alert" not in page.text
