"""A result in a notebook takes the room that it needs."""

import tokenarium as tk

HEIGHTS = """() => {
  const frame = document.querySelector("iframe");
  return [frame.clientHeight, frame.contentDocument.documentElement.scrollHeight];
}"""


def test_a_frame_has_the_height_of_its_content(chromium):
    page = chromium.new_page()
    for text in ("Hello, world", "Hello there. " * 100):
        page.set_content(tk.load("gpt-4o").show(text)._repr_html_(), wait_until="load")
        height, content = page.evaluate(HEIGHTS)
        assert height == content
    assert 300 < height < 2000
    page.close()
