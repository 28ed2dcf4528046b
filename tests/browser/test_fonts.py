"""The bundled fonts: few bytes on the first page, stand-ins of their width, no other font of the machine in tests."""

import pytest

from tests.support.deeds import type_text

WIDTH_OF = """async font => {
  const span = document.body.appendChild(document.createElement("span"));
  span.textContent = "A tokenizer splits 1,480 words into tokens, which a model reads one by one";
  span.style.font = `100px ${font}, monospace`;
  span.style.position = "absolute";
  span.style.whiteSpace = "pre";
  await document.fonts.load(span.style.font);
  return span.getBoundingClientRect().width;
}"""


def width_of(page, font):
    return page.evaluate(WIDTH_OF, f'"{font}"')


def test_the_first_page_loads_at_most_150_kilobytes_of_fonts(open_page, watch):
    page = open_page(first_visit=True)
    page.wait_for_load_state("networkidle")
    fonts = [request.response().body() for request in watch.requests if request.url.endswith(".woff2")]
    assert len(fonts) >= 2
    assert sum(map(len, fonts)) <= 150_000


def test_a_token_with_letters_of_other_subsets_loads_these(open_page, watch):
    page = open_page()
    type_text(page, "αя")
    page.wait_for_load_state("networkidle")
    loaded = {request.url.split(".")[-2] for request in watch.requests if request.url.endswith(".woff2")}
    assert {"latin", "greek", "cyrillic"} <= loaded
    assert "vietnamese" not in loaded


@pytest.mark.parametrize(("font", "stand_in"), [("IBM Plex Sans", "Sans"), ("Source Code Pro", "Mono")])
def test_a_stand_in_is_as_wide_as_its_font(open_page, font, stand_in):
    page = open_page("/about")
    assert width_of(page, f"{stand_in} stand-in DejaVu") == pytest.approx(width_of(page, font), rel=0.02)


def test_only_dejavu_is_installed_beside_the_bundled_fonts(open_page):
    page = open_page("/about")
    dejavu = {width_of(page, "DejaVu Sans"), width_of(page, "DejaVu Sans Mono")}
    assert {width_of(page, font) for font in ("Arial", "Liberation Sans", "Noto Sans", "Noto Sans Mono")} <= dejavu
