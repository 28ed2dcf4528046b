"""The browser of tokens: a person scrolls through all of them, searches, opens one, and goes back."""

import re

from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.slides import walk


def rows(page):
    return page.locator(".list .row[data-id]")


def shown(page, id):
    return page.locator(f'.list .row[data-id="{id}"]')


def open_list(open_page, path, **options):
    page = open_page(f"/vocabulary/{path}", **options)
    expect(page.locator(".list.scrolls")).to_be_visible()
    return page


def test_the_list_scrolls_to_its_last_row_and_only_the_rows_near_the_view_are_kept(open_page):
    page = open_list(open_page, "o200k_base")
    whole = page.locator(".list").evaluate("list => list.scrollHeight")
    page.locator(".list").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    last = shown(page, 200018)  # <|endofprompt|>
    expect(last).to_be_in_viewport()
    expect(last).to_contain_text("<|endofprompt|>")
    assert last.get_attribute("aria-rowindex") == "200001"
    assert abs(page.locator(".list").evaluate("list => list.scrollHeight") - whole) < 2
    expect(page).to_have_url(re.compile(r"offset=19\d{4}$"))
    page = open_list(open_page, "gpt2")
    for place in range(2_000, 50_000, 5_000):
        page.locator(".list").evaluate("(list, share) => list.scrollTo(0, share * list.scrollHeight)", place / 50_257)
        page.locator(f'.row[data-place="{place + 5}"]').wait_for()
    assert rows(page).count() <= 17 * 100


def test_rows_stay_whole_and_at_their_place_in_a_wider_window(open_page):
    page = open_list(open_page, "gpt2?offset=30000", viewport={"width": 390, "height": 900})
    expect(shown(page, 30000)).to_be_in_viewport()
    page.set_viewport_size({"width": 1920, "height": 900})
    expect(shown(page, 30000)).to_be_in_viewport()
    assert page.locator(".block:not(.waits)").first.evaluate(
        "block => block.lastElementChild.getBoundingClientRect().bottom <= block.getBoundingClientRect().bottom + 1"
    )


def test_the_keyboard_reaches_every_row(open_page):
    page = open_list(open_page, "gpt2")
    page.get_by_role("searchbox").focus()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(shown(page, 0).get_by_role("link")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(shown(page, 1).get_by_role("link")).to_be_focused()
    page.keyboard.press("End")
    expect(shown(page, 50256).get_by_role("link")).to_be_focused()
    expect(shown(page, 50256)).to_be_in_viewport()
    page.keyboard.press("ArrowUp")
    expect(shown(page, 50255).get_by_role("link")).to_be_focused()
    page.keyboard.press("Home")
    expect(shown(page, 0).get_by_role("link")).to_be_focused()
    page.keyboard.press("PageDown")
    expect(page.locator(".list a:focus")).not_to_have_text("0")
    page.keyboard.type("straw")
    expect(page.locator(".found-count")).to_have_text("3 of 50,257 tokens")
    expect(page.locator(".list.scrolls")).to_be_visible()  # htmx says after the swap that there is a new list
    page.keyboard.press("ArrowDown")
    expect(rows(page).first.get_by_role("link")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_text("Filter and sort")).to_be_focused()


# The address at the moment at which new rows are on the page, before anything else runs.
ADDRESSES = """() => {
  window.addresses = [];
  new MutationObserver(() => {
    const row = document.querySelector(".list .row[data-id]");
    if (row?.textContent.includes("0000000000000000")) addresses.push(location.href);
  }).observe(document.getElementById("result"), { childList: true, subtree: true });
}"""


def test_a_search_is_followed_while_it_is_typed(open_page):
    page = open_list(open_page, "gpt2")
    page.get_by_role("searchbox").press_sequentially("SolidGoldMagikarp")
    expect(page.locator(".found-count")).to_have_text("1 of 50,257 tokens")
    expect(shown(page, 43453)).to_contain_text("SolidGoldMagikarp")
    expect(page).to_have_url(re.compile(r"/vocabulary/gpt2\?q=SolidGoldMagikarp$"))
    page.check("[name=by][value=regex]", force=True)
    page.get_by_role("searchbox").fill("^(")
    expect(page.get_by_role("alert")).to_contain_text("missing )")
    expect(page.get_by_role("searchbox")).to_have_value("^(")
    page.get_by_role("searchbox").fill("^[0-9]+$")
    expect(page.locator(".found-count")).to_have_text("994 of 50,257 tokens")
    page.get_by_text("Filter and sort").click()
    page.get_by_label("Sort by").select_option("bytes")
    page.evaluate(ADDRESSES)
    page.get_by_label("descending").check()
    expect(rows(page).first).to_contain_text("0000000000000000")
    address = page.url
    assert page.evaluate("addresses").pop(0) == address
    page.reload()
    expect(rows(page).first).to_contain_text("0000000000000000")
    assert page.url == address


def test_a_token_opens_beside_the_list_and_back_closes_it(open_page):
    page = open_list(open_page, "o200k_base?q=straw")
    shown(page, 101830).get_by_role("link").click()
    panel = page.get_by_role("complementary", name="Token")
    expect(panel.get_by_role("heading", name="Token 101830")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/vocabulary/o200k_base/101830"))
    assert findings(page) == []
    panel.get_by_role("link", name=re.compile("berry.*19772")).click()
    expect(panel.get_by_role("heading", name="Token 19772")).to_be_visible()
    page.go_back()
    expect(panel.get_by_role("heading", name="Token 101830")).to_be_visible()
    page.go_back()
    expect(panel).to_be_hidden()
    expect(page).to_have_url(re.compile(r"/vocabulary/o200k_base\?q=straw$"))
    shown(page, 43456).get_by_role("link").press("Enter")
    expect(panel.get_by_role("heading", name="Token 43456")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("heading", name="Token 101830")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_an_engineer_finds_a_token_by_its_id_and_compares_its_parts(open_page):
    page = open_list(open_page, "o200k_base?marked=290")
    page.get_by_role("searchbox").press_sequentially("130321")
    page.get_by_role("link", name="token 130321").click()
    panel = page.get_by_role("complementary", name="Token")
    tree = panel.get_by_role("region", name="Tree of merges")
    expect(tree.get_by_role("link").first).to_contain_text("130321")
    tree_width, width = (part.evaluate("part => part.clientWidth") for part in (tree.locator("> ul"), tree))
    assert tree_width == width
    expect(panel).to_contain_text("No token has it as one of its two parts.")
    panel.get_by_role("button", name="Mark").click()
    expect(page.locator("#marked")).to_contain_text("2 marked")
    assert page.locator("#marked a").first.get_attribute("href").endswith("by=id&q=290,130321")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="side by side")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^Rank 290 130,321"))).to_be_visible()
    assert findings(page) == []


def test_the_minimap_goes_to_a_place_and_space_marks_a_row(open_page):
    page = open_list(open_page, "gpt2")
    page.locator(".minimap").click(position={"x": 10, "y": 200})
    expect(page).to_have_url(re.compile(r"offset=\d{4,5}$"))
    page.locator(".list").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    expect(page.locator(".row.is-marked")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"marked=\d{4,5}$"))
    page.reload()
    expect(page.locator(".row.is-marked")).to_have_count(1)


def test_keys_act_on_the_row_that_is_still_loading(open_page):
    page = open_list(open_page, "gpt2")
    held = []
    page.route("**/vocabulary/gpt2/rows?*offset=50200*", lambda route: held.append(route))
    shown(page, 1).get_by_role("link").focus()
    with page.expect_request("**offset=50200*"):
        for key in ["End", "ArrowUp", "ArrowUp", " ", "ArrowUp", "Enter"]:
            page.keyboard.press(key)
    expect(page.locator(".row.is-marked")).to_have_count(0)
    held[0].continue_()
    expect(page.get_by_role("complementary", name="Token").get_by_role("heading", name="Token 50253")).to_be_visible()
    expect(shown(page, 50253).get_by_role("link")).to_be_focused()
    expect(page.locator(".row.is-marked")).to_have_attribute("data-id", "50254")


def test_on_a_phone_a_token_is_a_page_that_leads_to_its_row_and_back_returns_to_it(open_page):
    page = open_page("/vocabulary/o200k_base/101830", viewport={"width": 390, "height": 800})
    expect(page.get_by_role("heading", name="Token 101830")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert findings(page) == []
    page.get_by_role("link", name="All tokens of o200k_base").click()
    expect(shown(page, 101830)).to_be_in_viewport()
    page = open_list(open_page, "gpt2?at=30000", viewport={"width": 390, "height": 800})
    expect(shown(page, 30000)).to_be_in_viewport()
    shown(page, 30001).get_by_role("link").click()
    expect(page.get_by_role("heading", name="Token 30001")).to_be_visible()
    page.go_back()
    expect(shown(page, 30001)).to_be_in_viewport()


def test_a_presented_list_and_a_tree_fit_on_the_screen(open_page):
    for path in ("gpt2?q=straw", "gpt2/41236", "gpt2/compare?ids=41236,262,464"):
        page = open_page(f"/vocabulary/{path}", viewport={"width": 1920, "height": 1080})
        page.keyboard.press("p")
        expect(page.locator(".deck .deck-place")).to_contain_text("1 of")
        assert walk(page)["faults"] == []
