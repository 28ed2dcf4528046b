"""A file is the text, byte for byte, until it is removed."""

from playwright.sync_api import expect

from tests.support.deeds import DROP, after, count, open_menu, pick, show_together, type_text

CRLF = "\ufeffone\r\ntwo\rthree\n"


def drop(page, name, content):
    state = {}
    after(page, lambda: state.update(page.evaluate(DROP, [name, list(content)])))
    return state


def opened(content, name="a file.txt"):
    return {"name": name, "mimeType": "text/plain", "buffer": content}


def test_a_dropped_file_is_tokenized_and_copied_byte_for_byte_until_it_is_removed(page):
    show_together(page)
    type_text(page, "typed")
    assert drop(page, "notes.txt", CRLF.encode()) == {"dropping": True, "taken": True}
    assert page.locator(".window .text").evaluate("e => e.textContent") == CRLF
    assert count(page, "bytes") == "18"
    expect(page.locator("#chip")).to_contain_text("notes.txt")
    expect(page.locator("#chip")).to_contain_text("18 bytes")
    expect(page.locator("#text")).to_be_disabled()
    expect(page.locator(".cutter")).to_contain_text("Text from the file notes.txt")
    shown = page.locator(".ids").text_content().split()
    open_menu(page)
    page.get_by_role("button", name="Copy ids").click()
    expect(page.locator("#said")).to_contain_text("copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == f"[{', '.join(shown)}]"
    open_menu(page)
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("not a file")
    after(page, lambda: pick(page, "bytes"))
    assert count(page) == "18"
    after(page, lambda: page.set_input_files("#file", opened(b"from a file")))
    assert count(page, "bytes") == "11"
    after(page, lambda: page.get_by_role("button", name="Remove the file").click())
    assert count(page, "bytes") == "5"
    expect(page.locator("#text")).to_be_enabled()
    expect(page.locator("#chip")).to_be_hidden()


def test_a_hostile_file_name_is_only_text_and_a_file_that_is_no_utf8_is_told(page, watch):
    drop(page, "<img src=x onerror=alert(1)>.txt", b"abc")
    expect(page.locator("#chip")).to_contain_text("<img src=x onerror=alert(1)>.txt")
    expect(page.locator(".cutter")).to_contain_text("<img src=x onerror=alert(1)>.txt")
    watch.allowed.append("400")
    drop(page, "image.png", b"\x89PNG\xff")
    expect(page.locator("#result [role=alert]")).to_contain_text("UTF-8")
