"""Pictures that the menus save: the step on the screen, in every format, and copied to the clipboard."""

from io import BytesIO

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect
from pypdfium2 import PdfDocument

from tests.support.deeds import open_menu
from tests.support.drawn import difference

PNG = b"\x89PNG\r\n\x1a\n"


def saved(page, group, name, role="button"):
    """What a button of the menu saves, with its name."""
    if page.locator("details.menu", has_text="Export").count():
        open_menu(page)
    with page.expect_download() as waiting:
        page.get_by_role("group", name=group, exact=True).get_by_role(role, name=name, exact=True).click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


@pytest.mark.parametrize(
    ("path", "group", "name", "role"),
    [
        ("/", "Download", "tokens.png", "button"),
        ("/languages", "Download the premiums by script", "premiums.png", "link"),
        pytest.param("/compare", "Download the tokens", "tokens.png", "button", marks=pytest.mark.nightly),
        pytest.param("/chat", "Download", "chat.png", "button", marks=pytest.mark.nightly),
        pytest.param("/beyond/bytes", "Download", "entropies.png", "button", marks=pytest.mark.nightly),
    ],
)
def test_a_picture_is_saved(open_page, path, group, name, role):
    file, data = saved(open_page(path), group, "PNG", role)
    assert (file, data[:8]) == (name, PNG)
    width, height = Image.open(BytesIO(data)).size
    assert width > 1000 < 5 * height
    assert len(data) > 5_000  # more than an empty sheet


PAPER = 251, 250, 247
LEFT = 32
LETTER = 20
"""Where the lines of a picture for a text begin, and the size of the letters of its tiles."""
SIZE = "tile => parseFloat(getComputedStyle(tile).fontSize)"


def rows_of(page):
    """The rows of a step on the screen, cut to what is there, and the same in its picture, of equal size."""
    page.locator("#both").uncheck()
    screen = Image.open(BytesIO(page.locator("#stage .rows").screenshot())).convert("RGB")
    scale = LETTER / page.locator("#stage .row b").first.evaluate(SIZE)
    screen = screen.resize((round(screen.width * scale), round(screen.height * scale)))
    screen = screen.crop(
        ImageChops.difference(screen, Image.new("RGB", screen.size, PAPER))
        .point(lambda value: max(0, value - 8))
        .getbbox()
    )
    painted = Image.open(BytesIO(saved(page, "This step for a text", "PNG")[1]))
    picture = Image.new("RGB", (1200, painted.height // 2 + screen.height), PAPER)
    picture.paste(painted.resize((painted.width // 2, painted.height // 2)))
    crops = [picture.crop((LEFT, top, LEFT + screen.width, top + screen.height)) for top in range(painted.height // 2)]
    return screen, min(crops, key=lambda crop: difference(crop, screen)[0])


@pytest.mark.parametrize("address", ["/steps?example=sennrich&step=4", "/steps?example=strawberry&step=0"])
def test_the_rows_of_a_picture_are_those_on_the_screen(open_page, address):
    mean, largest = difference(*rows_of(open_page(address)))
    assert mean < 8
    assert largest < 45


def test_letters_come_from_the_screen(open_page):
    page = open_page("/steps?tokenizer=gpt2")
    with_letters = PdfDocument(saved(page, "All steps", "PDF")[1])
    assert "U+1F30D" not in with_letters[0].get_textpage().get_text_range()
    expect(page.locator("#said")).to_contain_text("PDF saved, ")
    expect(page.locator("#counter")).to_have_text(f"0 of {len(with_letters) - 1}")


COPIED = """async () => {
  const [item] = await navigator.clipboard.read();
  const image = await createImageBitmap(await item.getType("image/png"));
  return [image.width, image.height];
}"""


def test_a_step_is_copied_as_a_picture_and_a_form_saves_pictures_without_scripts(open_page):
    page = open_page("/steps?example=sennrich&step=4")
    open_menu(page)
    group = page.get_by_role("group", name="This step as a slide", exact=True)
    group.get_by_role("button", name="Copy as picture").click()
    expect(page.locator("#said")).to_contain_text("This step as a slide copied as a picture, ")
    assert page.evaluate(COPIED) == [2560, 1440]
    page = open_page("/steps?example=gage", java_script_enabled=False)
    name, data = saved(page, "All steps", "GIF")
    assert (name, data[:6]) == ("steps.gif", b"GIF89a")
