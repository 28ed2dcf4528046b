"""Images of users: their size, what is refused, and from how little of the file."""

from contextlib import suppress

import pytest
from PIL import Image
from tokenarium.errors import Invalid, TooLarge
from tokenarium.lab.beyond.image_tokens import image_tokens
from tokenarium.lab.beyond.images import PICTURES, grid, image_rows, read_image
from tokenarium.settings import ROOT

from tests.support.images import png, saved


@pytest.mark.parametrize("format", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA"])
def test_the_size_of_an_image_is_read_and_a_copy_is_shown(format, mode):
    if (format, mode) in (("JPEG", "P"), ("JPEG", "RGBA"), ("GIF", "RGBA")):
        mode = "RGB"
    own = read_image(saved(Image.new(mode, (2000, 30)), format))
    assert (own.width, own.height, own.format) == (2000, 30, format)
    assert own.shown.startswith("data:image/jpeg;base64,")


def test_a_photo_that_was_turned_is_as_wide_as_it_is_shown():
    exif = Image.Exif()
    exif[0x0112] = 6
    assert read_image(saved(Image.new("RGB", (40, 20)), "JPEG", exif=exif)).width == 20


def test_500_megapixels_are_refused_from_the_header():
    with pytest.raises(TooLarge, match="25,000 × 20,000") as refusal:
        read_image(png(25_000, 20_000))
    assert refusal.value.limit == 50_000_000


@pytest.mark.parametrize("data", [b"", b"no image", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%PDF-1.4"])
def test_what_is_not_an_image_is_refused(data):
    with pytest.raises(Invalid, match="not an image"):
        read_image(data)


def test_every_beginning_of_an_image_is_refused_or_read():
    for format in ("PNG", "JPEG", "GIF", "WEBP"):
        data = saved(Image.radial_gradient("L").resize((64, 64)), format)
        for end in range(0, len(data) // 2, max(1, len(data) // 60)):
            with pytest.raises(Invalid):
                read_image(data[:end])
        for end in range(len(data) // 2, len(data)):
            with suppress(Invalid):  # what is missing at the end may be of no importance
                assert read_image(data[:end]).width == 64


def test_pictures_of_the_page_exist_and_the_lines_are_those_between_the_cells():
    for one in PICTURES:
        assert (ROOT / one.address.lstrip("/")).read_text().startswith("<svg")
    cells = grid(image_tokens("vit", 30, 30).cut)
    assert cells.path == "M14 0V28M28 0V28M0 14H28M0 28H28"
    assert [place for *_, place in cells.numbers] == [1, 2, 3, 4]


def test_costs_and_shares_are_those_of_the_dated_prices():
    row = next(row for row in image_rows((1024, 1024), (1, 1)) if row.model.id == "gpt-4o-high")
    assert row.cost == pytest.approx(1.9125)  # 765 tokens at $2.50 for a million, a thousand times
    assert row.share == pytest.approx(765 / 128_000)
    own = next(row for row in image_rows((1, 300), (1, 1), price=2, window=1000) if row.model.id == "qwen2-vl")
    assert (own.one, own.refused, own.cost, own.share) == (None, own.refused, None, None)
    assert "200 times" in own.refused
