"""Token counts of images against the examples of the vendors' documentation, and against transformers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid
from tokenarium.lab.beyond.image_tokens import IMAGE_MODELS, image_tokens, vit

SIDES = st.integers(1, 9000)


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        ("vit", 224, 224, 256),
        ("gpt-4o-high", 1024, 1024, 765),  # these three: OpenAI, Images and vision
        ("gpt-4o-high", 2048, 4096, 1105),
        ("gpt-4o-low", 4096, 8192, 85),
        ("gpt-4.1-mini", 1024, 1024, 1659),  # 1,024 patches × 1.62, rounded up
        ("gpt-4.1-nano", 1800, 2400, 3572),  # 1,452 patches × 2.46
        ("claude", 200, 200, 64),  # these: Anthropic, Vision, the table of both tiers
        ("claude", 1000, 1000, 1296),
        ("claude", 1920, 1080, 1560),
        ("claude", 2000, 1500, 1564),
        ("claude", 3840, 2160, 1560),
        ("claude-4.7", 1920, 1080, 2691),
        ("claude-4.7", 2000, 1500, 3888),
        ("claude-4.7", 3840, 2160, 4784),
        ("gemini-2", 384, 384, 258),
        ("gemini-2", 960, 540, 6 * 258),  # Google, Image understanding: 3 × 2 tiles
        ("gemini-3-high", 960, 540, 1120),
        ("pixtral", 1024, 1024, 65 * 64),
        ("llava-1.5", 10, 3000, 576),
    ],
)
def test_the_tokens_are_those_of_the_documentation(model, width, height, tokens):
    assert image_tokens(model, width, height).tokens == tokens


def test_an_image_is_resized_as_the_documentation_says():
    claude = image_tokens("claude", 1075, 1520).cut
    assert (claude.width, claude.height) == (924, 1307)  # Anthropic, Coordinates: an A4 page
    mini = image_tokens("gpt-4.1-mini", 1800, 2400).cut
    assert (mini.width, mini.height, mini.columns, mini.rows) == (1056, 1408, 33, 44)  # OpenAI's example


@given(SIDES, SIDES)
def test_qwen_and_pixtral_count_as_transformers_does(width, height):
    from numpy import zeros
    from transformers.models.pixtral.image_processing_pil_pixtral import get_resize_output_image_size
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

    down, across = get_resize_output_image_size(zeros((1, height, width), bool), 1024, 16, "channels_first")
    if across and down:  # an image a pixel wide is resized to none by transformers
        assert image_tokens("pixtral", width, height).tokens == (across // 16 + 1) * (down // 16)
    limits = {"qwen2-vl": (28, 3136, 12_845_056), "qwen3-vl": (32, 65_536, 16_777_216)}
    for model, (factor, least, most) in limits.items():
        try:
            down, across = smart_resize(height, width, factor, least, most)
        except ValueError:
            with pytest.raises(Invalid):
                image_tokens(model, width, height)
        else:
            assert image_tokens(model, width, height).tokens == across // factor * (down // factor)


@pytest.mark.parametrize("model", IMAGE_MODELS, ids=lambda model: model.id)
@given(width=SIDES, height=SIDES)
def test_the_cells_cover_the_resized_image(model, width, height):
    try:
        cut = image_tokens(model, width, height).cut
    except Invalid:
        return
    assert cut.tokens >= (0 if model.id == "vit" else 1)
    if cut.columns and model.id != "vit":
        assert cut.columns * cut.cell_width >= cut.width
        assert cut.rows * cut.cell_height >= cut.height
        assert (cut.columns - 1) * cut.cell_width < cut.width
    if model.id.startswith("claude"):
        assert cut.tokens <= (4784 if model.id == "claude-4.7" else 1568)


def test_every_model_says_its_formula_source_and_date():
    for model in IMAGE_MODELS:
        assert model.formula
        assert model.source
        assert model.address.startswith("https://")
        assert model.date >= "2020"
    assert len({model.id for model in IMAGE_MODELS}) == len(IMAGE_MODELS)


def test_what_is_not_an_image_size_or_model_is_refused():
    with pytest.raises(Invalid, match="1 to 100,000"):
        image_tokens("vit", 0, 10)
    with pytest.raises(Invalid, match="8,000"):
        image_tokens("claude", 8001, 10)
    with pytest.raises(Invalid, match="pixtral"):
        image_tokens("unknown", 1, 1)
    assert image_tokens(vit(16), 224, 224).tokens == 196
