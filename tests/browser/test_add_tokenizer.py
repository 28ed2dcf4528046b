"""A tokenizer of one's own, chosen at a picker or dropped on a page: it is then the choice of that page."""

from playwright.sync_api import expect

from tests.support.shelves import files
from tests.support.vocabularies import learned

DATA = files(learned("bytes with special tokens"))["tokenizer.json"]
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def test_files_that_are_chosen_are_the_choice_of_the_page(open_page):
    for path in ("/", "/steps?tokenizer=gpt2", "/compare", "/conformance"):
        page = open_page(path)
        if path == "/":
            page.click("#options summary")
        with page.expect_file_chooser() as chooser:
            page.get_by_role("link", name="Add your tokenizer…").click()
        chooser.value.set_files([{"name": "my own.json", "mimeType": "", "buffer": DATA}])
        expect(page.get_by_text("Added my own, for an hour and for this browser only.")).to_be_visible()
        chosen = page.locator("select[name=tokenizer] option:checked").all_text_contents()
        assert any(text.startswith("my own") for text in chosen), path
    page.get_by_role("link", name="What was found in its files").click()
    expect(page.get_by_role("heading", name="Added: my own")).to_be_visible()


def test_a_dropped_tokenizer_is_added_and_saved_and_a_dropped_text_replaces_the_text(open_page, watch):
    watch.allowed.append("422")
    page = open_page()
    page.evaluate(DROP, ["saved here.json", DATA.decode()])
    expect(page.get_by_text("Added saved here, for an hour and for this browser only.")).to_be_visible()
    page.get_by_role("button", name="Save it on this server").click()
    expect(page.get_by_text("Added saved here. ")).to_be_visible()
    expect(page.get_by_role("button", name="Save it on this server")).to_have_count(0)
    page.evaluate(DROP, ["tokenizer.json", "Only a text."])
    expect(page.locator("#result")).to_contain_text("Only")
    page.evaluate(DROP, ["broken.json", '{"model": {"type": "BPE"}, "added_tokens": []}'])
    expect(page.locator("[data-adding] [role=alert]")).to_contain_text("tokenizer")
