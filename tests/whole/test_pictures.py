"""Pictures to take along: tokens with their ids, steps, premiums, as SVG that is well formed and says what it shows."""

from xml.etree import ElementTree

import pytest

from tests.conftest import asker

SVG = "{http://www.w3.org/2000/svg}"
HELLO = "Hello, 🌍! 你好!"


def drawn(answer):
    """The title and the texts of a picture."""
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    root = ElementTree.fromstring(answer.content)
    assert float(root.get("width")) > 0 < float(root.get("height"))
    return root.find(f"{SVG}title").text, [text.text for text in root.iter(f"{SVG}text")]


def test_tokens_are_boxes_with_their_ids_below(ask):
    answer = ask("POST", "/download", data={"text": HELLO, "tokenizer": "o200k_base", "format": "svg"})
    assert answer.headers["content-disposition"] == 'attachment; filename="tokens.svg"'
    title, texts = drawn(answer)
    assert title == "o200k_base: 8 tokens"
    assert texts[:8] == ["Hello", ",", "20·f0·9f·8c", "8d", "!", "␣", "你好", "!"]
    assert texts[9:] == ["13225", "11", "130321", "235", "0", "220", "177519", "0"]


def test_markup_in_a_text_is_text(ask):
    answer = ask("POST", "/download", data={"text": '<b>&"', "tokenizer": "bytes", "format": "svg"})
    assert drawn(answer)[1][:5] == ["<", "b", ">", "&", '"']


def test_a_long_text_is_cut_and_its_rest_counted(ask):
    answer = ask("POST", "/download", data={"text": "a\n" * 5000, "tokenizer": "bytes", "format": "svg"})
    title, texts = drawn(answer)
    assert title == "Bytes: 10,000 tokens"
    assert texts[-1] == "… and 9,600 more"
    assert texts.count("↵") == 200


def test_a_text_without_tokens_has_a_picture_too(ask):
    assert drawn(ask("POST", "/download", data={"text": "", "format": "svg"})) == (
        "o200k_base: 0 tokens",
        ["o200k_base: 0 tokens"],
    )


def test_a_comparison_has_one_tokenizer_under_the_other(ask):
    sent = {"text": "strawberry", "tokenizer": ["o200k_base", "gpt2"], "format": "tokens.svg"}
    title, texts = drawn(ask("POST", "/compare/download", data=sent))
    assert title == "o200k_base: 3 tokens; GPT-2: 3 tokens"
    assert texts[:6] == ["st", "raw", "berry", "st", "raw", "berry"]
    assert texts[6:] == ["o200k_base: 3 tokens", "302", "1618", "19772", "GPT-2: 3 tokens", "301", "1831", "8396"]


def test_a_chat_is_drawn_as_its_prompt(ask):
    sent = {"tokenizer": "mistral-v3", "role": "user", "content": "Hello", "prompted": "1"}
    title, texts = drawn(ask("POST", "/chat/download", data=sent))
    assert title == "Mistral v3: 4 tokens"
    assert texts[:4] == ["<s>", "[INST]", "Hello", "[/INST]"]


@pytest.mark.parametrize("query", ["", "?tokenizer=gpt2&sort=name"])
def test_premiums_are_drawn_by_script(ask, query):
    answer = ask("GET", f"/languages/premiums.svg{query}")
    title, texts = drawn(answer)
    assert title.startswith(f"Tokens of each language in {'GPT-2' if query else 'o200k_base'}, by those of English: ")
    assert {"Latin", "Cyrillic", "1×", "20×"} <= {*texts}
    assert answer.content.count(b'class="dot"') > 500


@pytest.mark.parametrize(
    ("path", "title", "image"),
    [
        ("/", "Tokenarium: see how tokenizers split a text", "screenshot"),
        ("/steps", "Steps · Tokenarium", "steps"),
        ("/about", "About · Tokenarium", "screenshot"),
    ],
)
def test_a_server_with_a_public_name_has_share_cards(registry, path, title, image):
    ask = asker(registry, allowed_hosts=("tokens.example",))
    page = ask("GET", path, headers={"Host": "tokens.example"}).text
    assert f'<meta property="og:title" content="{title}">' in page
    assert f'<meta property="og:url" content="http://tokens.example{path}">' in page
    assert f'<meta property="og:image" content="http://tokens.example/static/{image}.png">' in page
    assert ask("GET", f"/static/{image}.png", headers={"Host": "tokens.example"}).content.startswith(b"\x89PNG")


def test_one_without_has_none(ask):
    assert "og:" not in ask("GET", "/").text
