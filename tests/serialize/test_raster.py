"""Pictures as pixels: PNG of twice the size, and a GIF that plays all steps."""

from io import BytesIO

from PIL import Image
from tokenarium.lab.sheets.sheet import draw_sheets
from tokenarium.lab.steps.drawing import Drawing, Label
from tokenarium.serialize.pdf import write_pdf
from tokenarium.serialize.raster import write_gif, write_png

from tests.support.drawn import difference, draw_step, paint_pdf, view_run


def test_a_png_is_twice_as_large_as_the_picture(registry):
    drawing = draw_step(registry, "a")
    painted = Image.open(BytesIO(write_png(drawing)))
    assert painted.size == (2560, 1440)
    assert difference(painted, paint_pdf(write_pdf([drawing])))[0] < 1


def test_a_png_has_a_largest_size():
    painted = Image.open(BytesIO(write_png(Drawing(9_000, 30, labels=(Label(9, 20, "a"),)))))
    assert painted.width == 8_000


def test_a_gif_plays_all_steps_and_rests_on_the_last(registry):
    run = view_run(registry, "low 5\nlowest 2\nnew 6\nwidest 3", branch="learn", table=True, merges=4)
    drawings = draw_sheets([*run.sheets], "slide")
    gif = Image.open(BytesIO(write_gif(drawings)))
    assert (gif.n_frames, gif.size, gif.info["loop"]) == (5, (1280, 720), 0)
    times = []
    for number in range(gif.n_frames):
        gif.seek(number)
        times.append(gif.info["duration"])
    assert times == [1200] * 4 + [3600]
    assert gif.convert("RGB").getpixel((1, 1)) == (251, 250, 247)
    assert difference(gif, paint_pdf(write_pdf(drawings[-1:])))[0] < 1
