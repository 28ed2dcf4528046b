"""What a person does on the page, each waiting until it is done."""

from playwright.sync_api import expect


def after(page, act):
    """Do something that asks for tokens, and wait until the answer is on the page."""
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/")):
        act()
    settled(page)


def settled(page):
    """Wait until the page shows the answer to all that was typed and chosen."""
    expect(page.locator("#lab[data-waiting]")).to_have_count(0)
    expect(page.locator("#result[data-stale]")).to_have_count(0)


def fonts_loaded(page):
    """Wait for the fonts of all that the page shows: letters are as wide as they stay."""
    page.evaluate("() => document.fonts.ready.then(() => 0)")


def type_text(page, text):
    after(page, lambda: page.fill("#text", text))


SET = """text => {
  const box = document.getElementById("text");
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def set_text(page, text):
    """Set a text at once: one of many lines would be typed line by line."""
    after(page, lambda: page.evaluate(SET, text))


def show_together(page):
    """Show text, ids and bytes of the tokens together, as an address can; the tabs show one of them."""
    page.evaluate(
        """() => { for (const value of ["text", "ids", "bytes"]) document.getElementById("lab").append(
             Object.assign(document.createElement("input"), { type: "hidden", name: "view", value })); }"""
    )


def open_menu(page, name="Export"):
    """Open a menu of the page, unless it is open."""
    menu = page.locator("details.menu", has=page.locator("summary", has_text=name))
    if not menu.evaluate("menu => menu.open"):
        menu.locator("summary").click()


def choose(page, tokenizer):
    if page.locator("select[name=tokenizer]").input_value() != tokenizer:
        after(page, lambda: pick(page, tokenizer))


def pick(page, typed, label="Tokenizer"):
    """Type into the picker of tokenizers and choose the best match."""
    field = page.get_by_role("combobox", name=label)
    field.click()
    field.fill(typed)
    field.press("Enter")


FITS = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
  () => done(document.documentElement.scrollWidth <= innerWidth))))"""


def too_narrow(page, widths=(320, 390, 768, 1440, 2560)):
    """Return those of the widths of a window at which the page scrolls sideways."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        if not page.evaluate(FITS):
            found.append(width)
    return found


def count(page, name="tokens"):
    return page.locator(f"[data-count={name}]").inner_text()


DROP = """([name, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name, { type: "text/plain" }));
  const send = (type) => document.querySelector("#text").dispatchEvent(
    new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  send("dragover");
  return { dropping: document.documentElement.classList.contains("dropping"), taken: !send("drop") };
}"""


def after_comparison(page, act):
    """Do something that asks for a comparison, and wait until it is on the page."""
    page.locator("#result > *").first.evaluate("one => one.dataset.old = 1")
    act()
    expect(page.locator("#result > [data-old]")).to_have_count(0)
    settled(page)  # also with a line that was typed while the first was compared
