"""What a page of another origin may do with this server."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OTHER_NAME, PATIENCE
from tests.support.deeds import choose, count, open_menu, type_text

PAPER = {"light": "rgb(251, 250, 247)", "dark": "rgb(20, 21, 24)"}
FETCH = """async ([address, options]) => {
  try {
    const answer = await fetch(address, options);
    return [answer.status, await answer.json()];
  } catch (error) {
    return error.name;
  }
}"""
FRAME = '<iframe src="{}" title="Tokens" width="900" height="600"></iframe>'
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def elsewhere():
    """The address of a server of one empty page, on a port of its own and so of another origin."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>A course</title>")

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def course(chromium, elsewhere):
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(elsewhere)
    yield page
    context.close()


def post(body, **headers):
    return {"method": "POST", "headers": JSON | headers, "body": body}


def test_a_page_elsewhere_tokenizes_with_a_key_or_without_and_reads_nothing_else(course, base):
    sent = post('{"tokenizer": "gpt2", "text": "Hello"}')
    status, told = course.evaluate(FETCH, [f"{base}/tokenize", sent])
    assert (status, told["ids"]) == (200, [15496])
    status, told = course.evaluate(FETCH, [f"{base}/tokenize", post('{"tokenizer": "gpt2"}')])
    assert (status, told["pointer"]) == (422, "/text")
    sent = post('{"model": "gpt-4o", "input": "Hello"}', Authorization="Bearer none", **{"openai-beta": "1"})
    status, told = course.evaluate(FETCH, [f"{base}/v1/responses/input_tokens", sent])
    assert (status, told["input_tokens"]) == (200, 8)
    for path in ("/", "/api/tokenizers", "/healthz", "/static/css/base.css"):
        assert course.evaluate(FETCH, [base + path, {}]) == "TypeError", path


def test_a_page_elsewhere_sends_no_form(course, base):
    for path in ("/", "/window", "/steps", "/compare"):
        form = f'<form method="post" action="{base}{path}"><button name="text" value="a">Send</button></form>'
        course.set_content(form)
        with course.expect_navigation(url=base + path) as waiting:  # until its end: one cannot go back before
            course.click("button")
        assert waiting.value.status == 403, path
        course.go_back()


@pytest.mark.parametrize(("scheme", "scripts"), [("dark", True), ("light", False)])
def test_a_page_elsewhere_frames_tokens(chromium, elsewhere, base, scheme, scripts):
    context = chromium.new_context(color_scheme=scheme, java_script_enabled=scripts)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(elsewhere)
    page.set_content(FRAME.format(f"{base}/embed?tokenizer=gpt2&amp;text=Hello%2C+world&amp;view=text&amp;view=ids"))
    frame = page.frame_locator("iframe")
    expect(frame.locator("[data-count=tokens]")).to_have_text("3")
    expect(frame.locator(".text")).to_have_text("Hello, world")
    expect(frame.locator("body")).to_have_css("background-color", PAPER[scheme])
    with context.expect_page() as opened:
        frame.get_by_role("link", name="Open in Tokenarium").click()
    expect(opened.value).to_have_title("Tokenarium: see how tokenizers split a text")
    if scripts:
        expect(opened.value.locator("#text")).to_have_value("Hello, world")
        assert opened.value.evaluate("() => window.opener") is None
    context.close()


def test_nothing_else_can_be_framed_and_a_refusal_is_told_in_the_frame(course, base):
    course.set_content(FRAME.format(f"{base}/embed?tokenizer=gtp2&amp;text=a"))
    expect(course.frame_locator("iframe").get_by_role("alert")).to_contain_text("There is no tokenizer of this name")
    for path in ("/", "/steps", "/docs", "/nothing"):
        with course.expect_console_message(lambda said: "frame-ancestors" in said.text):
            course.set_content(FRAME.format(base + path))


def test_the_playground_gives_the_frame(open_page, base, chromium, elsewhere):
    page = open_page()
    type_text(page, "Hello & <world>")
    choose(page, "gpt2")
    tokens = count(page)
    open_menu(page)
    page.click("#embed")
    expect(page.locator("#said")).to_contain_text("Frame copied")
    expect(page.locator("#said")).to_contain_text("Other sites can show only the tokenizers bundled with Tokenarium")
    frame = page.evaluate("() => navigator.clipboard.readText()")
    assert frame.startswith(f'<iframe src="{base}/embed?')
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    course = context.new_page()
    course.goto(elsewhere)
    course.set_content(frame)
    expect(course.frame_locator("iframe").locator("[data-count=tokens]")).to_have_text(tokens)
    expect(course.frame_locator("iframe").locator(".text")).to_have_text("Hello & <world>")
    context.close()


def test_a_form_is_sent_to_a_server_without_tls_in_a_local_network(chromium, base):
    # There browsers send no Sec-Fetch-Site, and an Origin of "null" if pages ask for no referrer at all.
    context = chromium.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(base.replace("127.0.0.1", OTHER_NAME))
    page.locator("#text").fill("Hello, world")
    with page.expect_navigation() as navigation:
        page.get_by_role("button", name="Tokenize", exact=True).click()
    assert (navigation.value.request.method, navigation.value.status) == ("POST", 200)
    assert "sec-fetch-site" not in navigation.value.request.all_headers()
    context.close()
