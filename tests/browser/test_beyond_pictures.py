"""Pictures in the browser: sliders, an image that is measured without being sent, and what axe finds."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.images import saved

PAGE = "/beyond/pictures?width=1024&height=1024&model=gpt-4o-high"


def tokens(page):
    return page.locator("[data-count=tokens]")


def photo(size=(1600, 1200)):
    from PIL import Image

    return {"name": "photo.png", "mimeType": "image/png", "buffer": saved(Image.new("RGB", size, "teal"), "PNG")}


def test_a_slider_changes_the_number_the_tokens_and_the_address(open_page):
    page = open_page(PAGE)
    expect(tokens(page)).to_have_text("765")
    page.get_by_label("Width of the picture").fill("2000")
    expect(page.locator("[name=width]")).to_have_value("2000")
    expect(tokens(page)).to_have_text("1,105")
    page.wait_for_url(re.compile("width=2000"))
    page.reload()
    expect(tokens(page)).to_have_text("1,105")
    page.get_by_role("link", name="Predict a larger picture").click()
    page.locator(".predict .press").first.click()
    expect(page.locator(".verdict")).to_contain_text("tokens become")


def test_an_own_image_is_measured_and_drawn_here_and_not_sent(open_page, base):
    page = open_page(PAGE)
    sent = []
    page.on("request", lambda request: sent.append((request.method, len(request.post_data_buffer or b""))))
    page.locator("#own").set_input_files(photo())
    expect(page.locator("#said")).to_have_text("photo.png: 1600 × 1200 pixels. It was not sent.")
    expect(page.locator("[name=width]")).to_have_value("1600")
    expect(page.locator("figure.cut").first).to_contain_text("1600 × 1200 becomes 1024 × 768")
    expect(page.locator("image[data-cut]").first).to_have_attribute("href", re.compile("^data:image/jpeg"))
    assert sent
    assert {*sent} == {("GET", 0)}
    page.reload()
    expect(page.locator("#said")).to_have_text("photo.png: 1600 × 1200 pixels. It was not sent.")
    page.get_by_role("link", name="Pixtral").click()
    expect(page.locator("image[data-cut]").first).to_have_attribute("href", re.compile("^data:image/jpeg"))
    expect(page.get_by_text("Drop it again")).to_be_hidden()
    expect(open_page(page.url.removeprefix(base)).get_by_text("Drop it again to see it here.")).to_be_visible()
    page.locator("#own").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"no image"})
    expect(page.locator("#said")).to_have_text("a.png is not an image that this browser can read.")


def test_without_javascript_an_image_is_sent_and_comes_back_with_its_cells(open_page):
    page = open_page(PAGE, java_script_enabled=False)
    page.locator("#own").set_input_files(photo((640, 480)))
    page.get_by_role("button", name="Send and count").click()
    expect(page.locator("[name=width]")).to_have_value("640")
    expect(page.locator("image[data-cut]").first).to_have_attribute("href", re.compile("^data:image/jpeg"))


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, width, scheme):
    page = open_page(f"{PAGE}&guess=2.0", color_scheme=scheme, viewport={"width": width, "height": 900})
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
