"""Every page has its picture as PNG, painted in the browser from the SVG of the server, at twice its size."""

import struct

import pytest

from tests.support.deeds import open_menu


@pytest.mark.parametrize(
    ("path", "group", "name"),
    [
        ("/", "Download", "tokens.png"),
        ("/steps?example=there&step=4", "Download", "steps.png"),
        ("/compare", "Download the tokens", "tokens.png"),
        ("/chat", "Download", "chat.png"),
        ("/languages", "Download the premiums by script", "premiums.png"),
    ],
)
def test_a_picture_is_saved(open_page, path, group, name):
    page = open_page(path)
    if page.locator("details.menu", has_text="Export").count():
        open_menu(page)
    with page.expect_download() as waiting:
        page.get_by_role("group", name=group, exact=True).get_by_role("button", name="PNG").click()
    assert waiting.value.suggested_filename == name
    data = waiting.value.path().read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert width > 1000 < 5 * height
    assert len(data) > 5_000  # more than an empty sheet
