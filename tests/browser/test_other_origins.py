"""What a page of another origin may do with this server."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

FETCH = """async ([address, options]) => {
  try {
    const answer = await fetch(address, options);
    return [answer.status, await answer.json()];
  } catch (error) {
    return error.name;
  }
}"""
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
    page = context.new_page()
    page.goto(elsewhere)
    yield page
    context.close()


def post(body, **headers):
    return {"method": "POST", "headers": JSON | headers, "body": body}


def test_a_page_elsewhere_tokenizes_and_reads_the_answer(course, base):
    sent = post('{"tokenizer": "gpt2", "text": "Hello"}')
    status, told = course.evaluate(FETCH, [f"{base}/tokenize", sent])
    assert (status, told["ids"]) == (200, [15496])
    status, told = course.evaluate(FETCH, [f"{base}/tokenize", post('{"tokenizer": "gpt2"}')])
    assert (status, told["pointer"]) == (422, "/text")


def test_a_client_that_sends_a_key_is_answered(course, base):
    sent = post('{"model": "gpt-4o", "input": "Hello"}', Authorization="Bearer none", **{"openai-beta": "1"})
    status, told = course.evaluate(FETCH, [f"{base}/v1/responses/input_tokens", sent])
    assert (status, told["input_tokens"]) == (200, 1)


@pytest.mark.parametrize("path", ["/", "/api/tokenizers", "/healthz", "/static/app.css"])
def test_a_page_elsewhere_reads_nothing_else(course, base, path):
    assert course.evaluate(FETCH, [base + path, {}]) == "TypeError"


@pytest.mark.parametrize("path", ["/", "/window", "/steps", "/compare"])
def test_a_page_elsewhere_sends_no_form(course, base, path):
    course.set_content(f'<form method="post" action="{base}{path}"><button name="text" value="a">Send</button></form>')
    with course.expect_response(base + path) as waiting:
        course.click("button")
    assert waiting.value.status == 403
