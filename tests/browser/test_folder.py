"""A folder is chosen or dropped, packed by the page, and counted."""

import pytest
from playwright.sync_api import expect

from tests.support.axe import PHONES, findings

LONG = "a-name-that-is-longer-than-a-tar-has-room-for" * 3


@pytest.fixture
def folder(tmp_path):
    top = tmp_path / "repository"
    for name, text in {
        "src/main.py": "print(1)\n",
        "src/köln.md": "Hello, world",
        f"{LONG}/notes.txt": "one two",
        "node_modules/left/out.js": "x",
        ".gitignore": "*.log\n",
        "a.log": "left out",
    }.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return top


def test_a_chosen_folder_is_counted_and_searched(open_page, folder):
    page = open_page("/folder")
    page.set_input_files("#folder", str(folder))
    expect(page.locator("[data-count=tokens]")).to_have_text("12")
    names = page.get_by_role("region", name="File", exact=True).locator("tbody th")
    expect(names).to_have_text(
        ["repository/src/main.py", "repository/.gitignore", "repository/src/köln.md", f"repository/{LONG}/notes.txt"],
        use_inner_text=True,
    )
    page.get_by_label("Find files").fill("src/")
    expect(page.locator(".folder-usage output")).to_have_text("2 files, 7 tokens")
    expect(page.locator(".box.dim[data-name$='notes.txt']")).to_have_count(1)


DROP = """async () => {
  const data = new DataTransfer();
  data.items.add(new File(["Hello, world"], "dropped.md"));
  document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""


@pytest.mark.parametrize("screen", PHONES)
def test_a_presentation_of_nothing_says_so_and_a_dropped_file_is_counted(open_page, screen):
    page = open_page("/folder", **screen)
    page.keyboard.press("p")
    expect(page.locator(".slide")).to_contain_text("Nothing is counted yet. Drop a folder here")
    expect(page.locator(".deck-title")).to_have_text("How many tokens a folder has")
    expect(page.locator(".deck-place")).to_have_text("1 of 1")
    page.keyboard.press("Escape")
    page.evaluate(DROP)
    expect(page.locator("[data-count=tokens]")).to_have_text("3")
    assert findings(page) == []
