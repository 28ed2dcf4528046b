"""Beyond text: a person draws, drags and moves sliders, sends pictures and sounds, predicts, and takes a link along."""

import re

from PIL import Image
from playwright.sync_api import expect
from tokenarium.lab.beyond.sounds import wav

from tests.conftest import TIER
from tests.support.deeds import settled
from tests.support.images import saved
from tests.support.slides import turned
from tests.support.sounds import SECOND

DRAWN = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, at) => at % 4 === 3 && value).length;
}"""
"""The number of pixels that are not empty."""
PLAYABLE = "audio => new Promise(done => { audio.oncanplay = () => done(audio.duration); audio.load(); })"


def lead(page):
    return page.locator(".counts .lead dd")


def photo(size=(1600, 1200)):
    return {"name": "photo.png", "mimeType": "image/png", "buffer": saved(Image.new("RGB", size, "teal"), "PNG")}


def test_a_drawn_movement_becomes_tokens_and_a_link(open_page):
    page = open_page("/beyond/actions")
    box = page.locator("#draw").bounding_box()
    x, y = box["x"] + 40, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 4 * step, y - 2 * step)
    page.mouse.up()
    expect(page.locator("#numbers")).to_have_value(re.compile(r"^x,y\n(-?[\d.]+,-?[\d.]+\n){49}-?[\d.]+,-?[\d.]+$"))
    expect(page.locator(".counts")).to_contain_text("100")
    page.wait_for_url(re.compile(r"numbers=x,y"))
    settled(page)  # the address is a moment earlier
    tokens = page.locator(".action-tokens .piece").all_text_contents()
    page.reload()
    assert page.locator(".action-tokens .piece").all_text_contents() == tokens != []
    assert page.locator("#draw").evaluate(DRAWN) > 300


def test_parameters_grow_with_the_slider_concepts_follow_a_language_and_the_address_both(open_page):
    page = open_page("/beyond/parameters?steps=20")
    page.locator("input[name=more]").fill("3")
    expect(page.get_by_role("heading", name="11 parameter tokens")).to_be_visible()
    expect(lead(page)).to_have_text(re.compile(r"^(0|\d\.\de-1\d)$"))
    page.wait_for_url(re.compile("more=3"))
    page = open_page("/beyond/concepts?text=Am+3.+Mai+kam+er.+Er+ging.")
    expect(page.locator(".sentences .unit")).to_have_count(3)
    page.get_by_label("Language").select_option("de")
    expect(page.locator(".sentences .unit")).to_have_count(2)
    page.wait_for_url(re.compile("language=de"))


def test_the_scale_takes_effect_while_it_is_moved_and_a_prediction_is_answered_by_a_button(open_page):
    page = open_page("/beyond/actions?example=pen")
    before = int(lead(page).text_content())
    page.get_by_role("slider").fill("80")
    expect(page.get_by_role("heading", name="4. Times 80, rounded")).to_be_visible()
    assert int(lead(page).text_content()) > before
    page.wait_for_url(re.compile("scale=80"))
    page = open_page("/beyond/actions?predict=1")
    expect(page.locator(".action-tokens")).to_have_count(0)
    page.locator(".predict button").first.click()
    expect(page.locator(".predict [role=status]")).to_contain_text("coefficients are 0")
    expect(page.locator(".action-tokens")).to_be_visible()


PRESENTED = {
    "/beyond/actions?example=arms": "2. Normalized",
    "/beyond/parameters?more=24&predict=1&guess=softmax": "32 parameter tokens",
    "/beyond/budget?model=gemini-3&text=a&w=640&h=480&d=&video=9": "Part by part",
    "/beyond/bytes": "How hard each byte is to predict",
}
"""Pages, and what stands on one of their slides; before a commit, the first and the last."""


def test_presented_each_page_is_slides_that_fit_and_a_question_is_asked_before_its_slide_is_turned(open_page):
    titles = {}
    for path in [*PRESENTED][:: 1 if TIER == "nightly" else 3]:
        page = open_page(path, viewport={"width": 1280, "height": 720})
        slides = turned(page)
        assert [(slide["title"], slide["faults"]) for slide in slides if slide["faults"]] == []
        assert sum(slide["controls"] for slide in slides) == 0
        titles[path] = [slide["title"] for slide in slides]
    assert [path for path, has in titles.items() if PRESENTED[path] not in has] == []
    assert titles["/beyond/bytes"][0] == "How hard each byte is to predict"
    page.keyboard.press("Home")
    expect(page.locator(".slide .cells .bars")).to_have_count(47)
    page = open_page("/beyond/actions?predict=1", viewport={"width": 1280, "height": 720})
    page.keyboard.press("p")
    expect(page.locator(".deck")).to_be_visible()
    verdict = page.locator(".deck .predict .verdict")
    for _ in range(8):  # to the slide of the question
        if verdict.count():
            break
        page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(page.locator("main .predict .verdict")).to_contain_text("The answer is")


def test_a_budget_adds_pictures_and_offers_the_details_that_its_model_knows(open_page):
    page = open_page("/beyond/budget")
    rows = page.locator(".images .image-row")
    count = rows.count()
    page.get_by_role("button", name="Add a picture").click()
    expect(rows).to_have_count(count + 1)
    row = page.get_by_role("group", name=f"Picture {count + 1}")
    row.get_by_label("Width").fill("512")
    row.get_by_label("Height").fill("512")
    row.get_by_label("Height").press("Tab")
    expect(page.locator(".parts summary")).to_have_count(4)
    page.locator(".parts summary").last.click()
    expect(page.locator(".parts .formula").last).to_contain_text("85 + 170 × 1 × 1")
    page.wait_for_url(re.compile("w=512"))
    page = open_page("/beyond/budget?model=gpt-4o&w=640&h=480&d=low")
    detail = page.get_by_role("group", name="Picture 1").get_by_label("Detail")
    expect(detail.locator("option")).to_have_text(["high", "low"])
    expect(lead(page)).to_have_text("85")
    page.get_by_label("Model").select_option("gemini-3")
    expect(detail.locator("option")).to_have_text(["high", "medium", "low", "ultra-high"])
    expect(lead(page)).to_have_text("280")
    page.wait_for_url(re.compile("model=gemini-3.*d=low"))
    page.get_by_label("Model").select_option("pixtral")
    expect(detail).to_be_hidden()
    expect(lead(page)).to_have_text("1,230")
    page.wait_for_url(re.compile("model=pixtral.*d=$"))


def test_the_limit_of_patches_is_dragged_on_the_chart_and_the_address_follows(open_page):
    page = open_page("/beyond/bytes?rule=global&threshold=2.4&text=The+tokenizer+reads+strawberry.")
    patches = lead(page)
    before = int(patches.inner_text())
    box = page.locator(".cells .bars").first.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 3, box["y"] + 10, steps=3)
    page.mouse.up()
    expect(patches).not_to_have_text(str(before))
    settled(page)  # with the answer to where the limit was left
    assert int(patches.inner_text()) < before
    assert float(page.get_by_label("Higher than (nats)").first.input_value()) > 3
    page.wait_for_url(re.compile("threshold=[3-5]"))
    page.get_by_label("Threshold in nats").fill("0.5")
    expect(patches).not_to_have_text(re.compile(r"^\d$"))
    settled(page)
    assert int(patches.inner_text()) > before


PICTURES = "/beyond/pictures?width=1024&height=1024&model=gpt-4o-high"


def test_a_slider_changes_the_size_of_a_picture_its_tokens_and_the_address(open_page):
    page = open_page(PICTURES)
    tokens = page.locator("[data-count=tokens]")
    expect(tokens).to_have_text("765")
    page.get_by_label("Width of the picture").fill("2000")
    expect(page.locator("[name=width]")).to_have_value("2000")
    expect(tokens).to_have_text("1,105")
    page.wait_for_url(re.compile("width=2000"))
    page.reload()
    expect(tokens).to_have_text("1,105")
    page.get_by_role("link", name="Predict a larger picture").click()
    page.locator(".predict .press").first.click()
    expect(page.locator(".verdict")).to_contain_text("tokens become")


def test_an_own_image_is_measured_and_drawn_here_and_not_sent(open_page, base, watch):
    page = open_page(PICTURES)
    watch.requests.clear()
    page.locator("#own").set_input_files(photo())
    expect(page.locator("#said")).to_have_text("photo.png: 1600 × 1200 pixels. It was not sent.")
    expect(page.locator("[name=width]")).to_have_value("1600")
    expect(page.locator("figure.cut").first).to_contain_text("1600 × 1200 becomes 1024 × 768")
    expect(page.locator("image[data-cut]").first).to_have_attribute("href", re.compile("^data:image/jpeg"))
    assert {(sent.method, sent.post_data_buffer) for sent in watch.requests} == {("GET", None)}
    page.reload()
    expect(page.locator("#said")).to_have_text("photo.png: 1600 × 1200 pixels. It was not sent.")
    page.get_by_role("link", name="Pixtral").click()
    page.wait_for_url(re.compile("model=pixtral"))  # the page before shows the same image
    expect(page.locator("image[data-cut]").first).to_have_attribute("href", re.compile("^data:image/jpeg"))
    expect(page.get_by_text("Drop it again")).to_be_hidden()
    expect(open_page(page.url.removeprefix(base)).get_by_text("Drop it again to see it here.")).to_be_visible()
    page.locator("#own").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"no image"})
    expect(page.locator("#said")).to_have_text("a.png is not an image that this browser can read.")


def test_codebooks_are_chosen_by_a_slider_sounds_play_and_a_refusal_keeps_the_form(open_page):
    page = open_page("/beyond/sound?sound=chirp&size=16")
    expect(page.locator(".token-rows tr")).to_have_count(3)
    page.get_by_label("Codebooks", exact=True).fill("5")
    expect(page.locator(".token-rows tr")).to_have_count(5)
    page.wait_for_url(re.compile("codebooks=5"))
    assert [page.locator("audio").nth(place).evaluate(PLAYABLE) for place in (0, 1, 9)] == [3, 3, 3]
    page.locator("#own").set_input_files({"name": "a.wav", "mimeType": "audio/wav", "buffer": wav(SECOND)})
    expect(page.locator("audio").first).to_have_attribute("src", re.compile("^data:audio/wav"))
    assert page.locator("audio").nth(1).evaluate(PLAYABLE) == 1
    page.locator("#own").set_input_files({"name": "b.wav", "mimeType": "audio/wav", "buffer": b"no sound"})
    expect(page.locator(".problem")).to_contain_text("not a WAV")
    expect(page.locator(".token-rows tr")).to_have_count(5)  # of the sound before
    expect(page.get_by_label("Sounds in each codebook")).to_have_value("16")


def test_without_javascript_nothing_is_drawn_and_an_image_is_sent_and_comes_back_with_its_cells(open_page):
    page = open_page("/beyond/actions", java_script_enabled=False)
    expect(page.locator("#draw")).to_be_hidden()
    page = open_page(PICTURES, java_script_enabled=False)
    page.locator("#own").set_input_files(photo((640, 480)))
    page.get_by_role("button", name="Send and count").click()
    expect(page.locator("[name=width]")).to_have_value("640")
    expect(page.locator("image[data-cut]").first).to_have_attribute("href", re.compile("^data:image/jpeg"))
