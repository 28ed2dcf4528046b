"""What a browser that knows nothing of the site loads for the first page, and what it asks for again."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE
from tests.support.deeds import type_text

PAINTED = """() => [...document.fonts].filter(({ status }) => status === "loaded")
  .map(({ family }) => family.replaceAll('"', ""))"""


@pytest.fixture
def new_page(chromium, base, watch):
    """Open a page in a browser that has nothing in its cache."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch.see(page)
    yield page
    watch.check()
    context.close()


@pytest.fixture
def loaded(new_page):
    """The bytes that came over the network, heads and compressed bodies, by address."""
    network, asked, found = new_page.context.new_cdp_session(new_page), {}, {}

    def finish(event):
        address = asked.get(event["requestId"], "data:")
        if not address.startswith("data:"):
            found[address] = event["encodedDataLength"]

    network.on("Network.requestWillBeSent", lambda event: asked.update({event["requestId"]: event["request"]["url"]}))
    network.on("Network.requestServedFromCache", lambda event: asked.pop(event["requestId"]))
    network.on("Network.loadingFinished", finish)
    network.send("Network.enable")
    return found


def open_fully(page, address):
    page.goto(address)
    page.wait_for_load_state("networkidle")


def test_the_first_page_takes_120_kilobytes_and_150_of_fonts_at_most_and_no_file_is_asked_for_again(
    new_page, base, loaded
):
    open_fully(new_page, base + "/")
    fonts = {address: size for address, size in loaded.items() if address.endswith(".woff2")}
    assert len(fonts) >= 2
    assert sum(fonts.values()) <= 150_000
    found = {address: size for address, size in loaded.items() if address not in fonts}
    assert f"{base}/" in found
    assert len(found) <= 20
    assert sum(found.values()) <= 120_000
    preloaded = new_page.locator("link[rel=preload]").evaluate_all("links => links.map(({ href }) => href)")
    assert len(preloaded) == 2
    assert set(preloaded) <= loaded.keys()
    assert {"IBM Plex Sans", "Source Serif 4"} <= set(new_page.evaluate(PAINTED))
    assert any("/static/" in address for address in loaded)
    loaded.clear()
    open_fully(new_page, base + "/about")
    files = {re.sub(r"^.*/static/\w+/", "", one) for one in loaded if "/static/" in one}
    # A Chromium that has windows may ask for their icon once more.
    assert files - {"favicon.svg"} == {"css/about.css", "js/pages/tables.js"}
    loaded.clear()
    open_fully(new_page, base + "/")
    assert [one for one in loaded if "/static/" in one and not one.endswith("/favicon.svg")] == []


def test_a_text_that_is_typed_before_the_scripts_have_come_is_tokenized_then(new_page, base):
    held = []
    new_page.route("**/js/pages/playground.js", lambda route: held.append(route))
    with new_page.expect_request("**/js/pages/playground.js"):
        new_page.goto(base + "/", wait_until="commit")
    new_page.locator("#text").fill("Early")
    expect(new_page.locator("#result")).not_to_contain_text("Early")
    held[0].continue_()
    expect(new_page.locator("#result")).to_contain_text("Early")


def test_modules_that_are_not_joined_do_the_same(new_page, base):
    """As they are in the folder, a browser imports them one by one."""
    new_page.route(
        re.compile(r"/static/\w{16}/js/pages/"),
        lambda route: route.fulfill(
            body=f'import "/static/js/pages/{route.request.url.rpartition("/")[2]}";', content_type="text/javascript"
        ),
    )
    open_fully(new_page, base + "/")
    type_text(new_page, "One by one")
    expect(new_page.locator("#result")).to_contain_text("by")
