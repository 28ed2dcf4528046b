"""The pipeline: a person reads the bands, changes components on cards, and takes the result along as a link or part."""

import json
import re

from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.slides import turned


def tokens(page):
    return page.locator(".tokens").last.locator(".piece").all_text_contents()


BERT = "/pipeline?tokenizer=bert-base-uncased&text=H%C3%A9llo%20you"


def test_pointing_lights_the_same_input_in_every_band_the_way_of_a_piece_and_its_component(open_page):
    page = open_page(BERT)
    page.locator(".band-model td", has_text="hello").hover()
    expect(page.locator(".system td.lit")).to_have_text(
        ["Héllo", "he", "llo", "hello", re.compile("hello"), "hello", "hello", "hello"]
    )
    page.locator("h2").first.hover()
    expect(page.locator(".system td.lit")).to_have_count(0)
    page.locator(".band-input .piece").first.hover()
    expect(page.locator(".way li .what")).to_have_text(
        [
            *("Input", "BertNormalizer", "BertPreTokenizer", "WordPiece", "TemplateProcessing", "WordPiece"),
            *("Decoded text", "id"),
        ]
    )
    expect(page.locator(".way li .pieces").last).to_have_text("7592")
    expect(page.locator(".tokens .piece.lit")).to_have_text(["hello"])
    expect(page.locator(".rows td.lit")).to_have_text(["hello", "7592"])
    expect(page.locator(".card.acts")).to_have_attribute("aria-label", "Normalizer 1, BertNormalizer")
    page.get_by_role("group", name="Pre-tokenizer 1, BertPreTokenizer").hover()
    expect(page.locator(".band.named th")).to_contain_text("BertPreTokenizer")


def test_keys_go_down_the_way_of_a_piece_and_along_a_band_and_each_is_announced(open_page):
    page = open_page(BERT)
    page.locator(".band-input .piece").first.focus()
    expect(page.locator("#lit")).to_contain_text("BertPreTokenizer: hello")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#lit")).to_contain_text("WordPiece: you")
    expect(page.locator(".band-input .piece").nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".band-model .piece").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".band-model .piece").nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".band-pre_tokenizer .piece").nth(1)).to_be_focused()


def test_a_component_is_switched_off_and_the_address_follows(open_page):
    page = open_page(BERT)
    assert tokens(page) == ["[CLS]", "hello", "you", "[SEP]"]
    page.get_by_role("checkbox", name="Use BertNormalizer").uncheck()
    expect(page.get_by_role("heading", name="Before and after")).to_be_visible()
    assert tokens(page) == ["[CLS]", "[UNK] (differs)", "you", "[SEP]"]
    expect(page.get_by_role("checkbox", name="Use BertNormalizer")).to_be_focused()
    expect(page.locator(".changes li")).to_have_text(
        re.compile(
            "Héllo was hello and is \\[UNK\\] now, because the normalizer BertNormalizer no longer runs: "
            "the text is Héllo there, and was hello."
        )
    )
    assert findings(page) == []
    page.wait_for_url(re.compile("normalizer="))
    page.reload()
    assert tokens(page) == ["[CLS]", "[UNK] (differs)", "you", "[SEP]"]
    page.get_by_role("button", name="Back to the tokenizer’s own").click()
    expect(page.get_by_role("heading", name="Tokens", exact=True)).to_be_visible()
    assert tokens(page) == ["[CLS]", "hello", "you", "[SEP]"]


def test_a_component_is_dragged_to_another_place_or_moved_with_its_button(open_page):
    page = open_page("/pipeline?tokenizer=clip&text=one")
    names = page.locator(".card[data-stage=normalizer] select[aria-label=Component]")
    order = lambda: names.evaluate_all("(all) => all.map((one) => one.value)")  # noqa: E731
    first, second, *rest = order()
    card = page.get_by_role("group", name=f"Normalizer 2, {second}")
    page.get_by_role("group", name=f"Normalizer 1, {first}").locator(".card-grip").drag_to(
        card, target_position={"x": 40, "y": card.bounding_box()["height"] - 4}
    )
    expect(page.get_by_role("group", name=f"Normalizer 2, {first}")).to_be_visible()
    assert order() == [second, first, *rest]
    page.get_by_role("button", name=f"Move {first} up").click()
    expect(page.get_by_role("group", name=f"Normalizer 1, {first}")).to_be_visible()
    expect(page.get_by_role("button", name=f"Move {first} down")).to_be_focused()


def test_components_are_added_changed_and_copied_as_a_part(open_page):
    page = open_page("/pipeline?tokenizer=gpt2&text=one-two")
    page.get_by_label("Normalizer to add").select_option("Replace")
    page.locator("button[value='normalizer add']").click()
    card = page.get_by_role("group", name="Normalizer 1, Replace")
    card.get_by_label("pattern").fill("-")
    card.get_by_label("content").fill(" ")
    card.get_by_label("content").press("Tab")
    expect(page.locator(".tokens").last.locator(".piece").nth(1)).to_contain_text("Ġtwo")
    lane = page.locator(".lane", has=card)
    lane.get_by_text("tokenizer.json part").click()
    lane.get_by_role("button", name="Copy").click()
    expect(page.locator("#said")).to_contain_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied == {"normalizer": {"type": "Replace", "pattern": {"String": "-"}, "content": " "}}


def test_a_bad_pattern_is_said_and_stays_in_its_card_and_another_tokenizer_brings_its_own(open_page):
    page = open_page("/pipeline?tokenizer=gpt2&text=one%20two")
    field = page.get_by_role("group", name="Pre-tokenizer 1, Split").get_by_label("pattern")
    field.fill("(")
    field.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("pre_tokenizer Split")
    expect(field).to_have_value("(")
    page.locator("#tokenizer-list").select_option("t5", force=True)
    expect(page.get_by_role("group", name="Normalizer 2, Precompiled")).to_be_visible()


def test_presented_the_bands_are_slides_that_fit(open_page):
    slides = turned(open_page("/pipeline?example=bert", viewport={"width": 1280, "height": 720}))
    assert [(slide["title"], slide["faults"]) for slide in slides if slide["faults"]] == []
    assert sum(slide["controls"] for slide in slides) == 0
    assert "hello" in " ".join(slide["text"] for slide in slides if "BertNormalizer" in slide["text"])
    assert "hello" in next(slide["text"] for slide in slides if slide["title"] == "Tokens")
