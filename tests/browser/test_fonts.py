"""The bundled fonts: few bytes on the first page, stand-ins of their width, no other font of the machine in tests."""

import pytest

from tests.support.deeds import fonts_loaded, type_text

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


def test_a_token_with_letters_of_other_subsets_loads_these(open_page, watch):
    page = open_page()
    type_text(page, "αя")
    fonts_loaded(page)
    loaded = {request.url.split(".")[-2] for request in watch.requests if request.url.endswith(".woff2")}
    assert {"latin", "greek", "cyrillic"} <= loaded
    assert "vietnamese" not in loaded


def test_a_stand_in_is_as_wide_as_its_font_and_only_dejavu_is_installed_besides(open_page):
    page = open_page("/about")
    for font, stand_in in (("IBM Plex Sans", "Sans"), ("Source Code Pro", "Mono")):
        assert width_of(page, f"{stand_in} stand-in DejaVu") == pytest.approx(width_of(page, font), rel=0.02)
    dejavu = {width_of(page, "DejaVu Sans"), width_of(page, "DejaVu Sans Mono")}
    assert {width_of(page, font) for font in ("Arial", "Liberation Sans", "Noto Sans", "Noto Sans Mono")} <= dejavu
