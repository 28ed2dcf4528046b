"""The API reference: contents, operations that fit a phone, and requests to copy."""

from playwright.sync_api import expect


def test_the_reference_fits_a_phone_and_is_found_by_its_contents(open_page):
    page = open_page("/docs", viewport={"width": 390, "height": 844})
    operations = page.locator("main .operation").count()
    assert page.evaluate("() => document.documentElement.scrollHeight") < 130 * operations
    page.get_by_role("navigation", name="Operations").get_by_role("link", name="POST /detokenize").click()
    expect(page.locator("details:target")).to_have_attribute("open", "")
    expect(page.locator("details:target summary")).to_be_in_viewport()
    page.evaluate("() => document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    assert "`" not in page.locator("main").inner_text()
    expect(page.locator("details:target p code, details:target dd code").first).to_be_visible()


def test_a_request_is_copied_for_a_shell_and_sent_and_pages_end_where_the_navigation_ends(open_page):
    page = open_page("/docs", viewport={"width": 1500, "height": 900})
    first = page.locator(".operation").first
    first.get_by_role("button", name="Copy curl").click()
    expect(page.locator("#said")).to_contain_text("is copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.startswith("curl -sS -X POST 'http://127.0.0.1:")
    first.get_by_role("button", name="Send").click()
    expect(first.locator(".reply pre")).to_contain_text("200")
    section = page.locator(".operation").filter(has=page.locator("[data-path='/api/languages']"))
    section.locator("summary").click()
    section.get_by_label("tokenizer").fill("bytes")
    with page.expect_response(lambda answer: answer.url.endswith("/api/languages?tokenizer=bytes") and answer.ok):
        section.get_by_role("button", name="Send").click()
    expect(section.locator("pre")).to_contain_text('"id": "bytes"')
    for path in ("/docs", "/train"):
        page.goto(page.url.rpartition("/")[0] + path)
        right = page.locator(".masthead-api").bounding_box()
        main = page.locator("main").evaluate(
            "one => one.getBoundingClientRect().right - parseFloat(getComputedStyle(one).paddingRight)"
        )
        assert abs(right["x"] + right["width"] - main) < 2, path
