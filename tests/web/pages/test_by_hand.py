"""BPE by hand as a page: every button works without a script, and the address carries the game."""

import html
import re

import pytest

from tests.conftest import Ask


def plain(page):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def send(ask, **fields):
    answer = ask("POST", "/learn/by-hand", data={"text": "low low lower newer", **fields})
    return answer.text


def test_a_pair_shows_its_count_before_it_is_merged(ask: Ask):
    said = plain(send(ask, pair="l o"))
    assert "l o occurs 3 times. Merging it leaves 13 tokens." in said


def test_a_merge_is_compared_with_that_of_the_machine(ask: Ask):
    assert "You merged w e, which occurred 2 times. The machine chooses l o, which occurred 3 times." in plain(
        send(ask, chosen="w e", do="merge")
    )
    assert "You merged l o, which occurred 3 times. The machine chooses it too" in plain(
        send(ask, chosen="l o", do="merge")
    )
    assert "This is a tie: the machine chooses l o, which comes first" in plain(send(ask, chosen="o w", do="merge"))


def test_the_page_says_when_the_machine_has_stopped(ask: Ask):
    end = "No pair occurs twice any more: the machine stops here."
    assert end in plain(send(ask, text="ab ab c", chosen="a b", do="merge"))
    assert end not in plain(send(ask, text="abc abc", chosen="a b", do="merge"))


def test_the_machine_says_which_pair_it_takes_and_merges_it(ask: Ask):
    assert "The machine chooses l o: it occurs 3 times, and no pair occurs more often." in plain(send(ask, do="ask"))
    page = send(ask, do="machine")
    assert 'name="merge" value="l o"' in page
    assert "after 1 merge " in plain(page)
    assert "after 0 merges" in plain(send(ask, merge="l o", do="undo"))


def test_training_stops_at_the_chosen_size(ask: Ask):
    page = send(ask, size="7", merge="l o")
    assert "Training stops: the vocabulary has reached 7 tokens." in plain(page)
    assert 'class="press joint"' not in page
    assert "What each vocabulary size gives" in page
    assert "its vocabulary has at least this size" in plain(send(ask, size="3"))


def test_the_address_of_a_game_gives_the_same_page(ask: Ask):
    page = send(ask, chosen="l o", do="merge", size="9")
    (address,) = re.findall(r'data-address="([^"]+)"', page)
    assert address == "/learn/by-hand?text=low+low+lower+newer&amp;merge=l+o&amp;size=9"
    again = ask("GET", html.unescape(address)).text
    assert re.findall(r"<h2>.*?</h2>", again) == re.findall(r"<h2>.*?</h2>", page)


@pytest.mark.parametrize("text", ["", "a", "aaaa", "é 👩‍🚀 é", "<b>&amp;"])
def test_any_short_text_is_a_game(ask: Ask, text):
    answer = ask("POST", "/learn/by-hand", data={"text": text})
    assert answer.status_code == 200
    assert ("Type a text to merge its letters." in answer.text) == (text == "")


def test_what_is_refused_says_why(ask: Ask):
    assert "at most 200 characters; this one has 201." in plain(send(ask, text="a" * 201))
    assert "A pair is two tokens with a space between" in plain(send(ask, pair="lo"))


def test_the_chapter_its_scenes_and_the_search_lead_to_it(ask: Ask):
    for address in ("/learn", "/learn/learn-bpe", "/search?q=by+hand"):
        assert 'href="/learn/by-hand"' in ask("GET", address).text


def answer(ask, *pairs, **fields):
    sent = {f"answer-{number}": pair for number, pair in enumerate(pairs)}
    return ask("GET", "/learn/by-hand/practice", params={"seed": "3", **sent, **fields}).text


def test_practice_says_at_once_what_the_machine_takes_and_why(ask: Ask):
    first = answer(ask)
    assert "Merge 1 of 4: which pair does the machine take?" in plain(first)
    assert "data-verdict" not in first
    assert "Right. i n occurs 5 times, more often than any other pair." in plain(answer(ask, "i n"))
    wrong = answer(ask, "i n", "t h")
    assert "Not this one. t h occurs once. The answer is in g. in g occurs 3 times" in plain(wrong)
    assert 'data-verdict="wrong"' in wrong
    assert "3 of 4 right" in plain(answer(ask, "i n", "in g", "s ing", "s ing"))


def test_the_next_merge_is_asked_once_the_one_before_is_answered(ask: Ask):
    assert [answer(ask, *["i n"] * number).count("<legend>") for number in range(5)] == [1, 2, 3, 4, 4]
    assert answer(ask, answers="1").count("The answer is") == 4


def test_a_practice_ends_with_what_was_right_and_leads_to_the_next_text(ask: Ask):
    page = answer(ask, "i n", "in g", "in k", "s ing")
    assert "4 of 4 right" in plain(page)
    assert page.count('data-verdict="right"') == 4
    assert 'href="/learn/by-hand/practice?seed=4"' in page
    assert 'class="press joint"' not in page
    (address,) = re.findall(r'data-address="([^"]+)"', page)
    assert "4 of 4 right" in plain(ask("GET", html.unescape(address)).text)


def test_a_text_of_ones_own_is_practised_too(ask: Ask):
    address = "/learn/by-hand/practice"
    page = ask("GET", address, params={"kind": "merge", "text": "low low lower"}).text
    assert 'data-text="low low lower"' in page
    assert "There is nothing to ask about this text." in ask("GET", address, params={"text": "a b"}).text
    assert "at most 200 characters" in ask("GET", address, params={"text": "a" * 201}).text
