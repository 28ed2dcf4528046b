"""Pages are compressed for browsers that accept it, where nothing secret can stand beside what a stranger chose."""


def test_a_page_is_compressed_unless_a_cookie_could_show_in_it(ask):
    plain = ask("GET", "/", headers={"Accept-Encoding": "identity"})
    packed = ask("GET", "/", headers={"Accept-Encoding": "gzip"})
    known = ask("GET", "/", headers={"Accept-Encoding": "gzip", "Cookie": "tokenarium_private=a"})
    codings = [answer.headers.get("Content-Encoding") for answer in (plain, packed, known)]
    assert codings == [None, "gzip", None]
    assert plain.text == packed.text
    assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"]) / 3


def test_a_fragment_and_a_short_answer_are_not_compressed(ask):
    headers = {"Accept-Encoding": "gzip", "HX-Request": "true"}
    fragment = ask("POST", "/", data={"text": "Hello " * 1000, "tokenizer": "gpt2"}, headers=headers)
    assert fragment.status_code == 200
    assert "Content-Encoding" not in fragment.headers
    assert "Content-Encoding" not in ask("GET", "/nothing", headers={"Accept-Encoding": "gzip"}).headers
