"""The fixtures themselves: a page that is closed while it goes elsewhere."""

from contextlib import suppress

import pytest
from playwright.sync_api import Error

from tests.browser.conftest import close


@pytest.mark.nightly
def test_pages_close_at_the_moment_at_which_they_go_elsewhere(context_of, base):
    """Chromium leaves about one of a hundred such pages open, for which Playwright waits for ever."""
    context = context_of()
    before = context.pages
    for _ in range(40):
        page = context.new_page()
        page.goto(f"{base}/healthz")
        page.set_content(f'<meta http-equiv="refresh" content="0; URL={base}/healthz">')
        with suppress(Error):  # the navigation takes the page away
            page.evaluate("document.title")
        close(page)
    assert context.pages == before
