"""Files sent in a form, as a browser sends them."""

from tests.support.shelves import files
from tests.support.vocabularies import learned

SITE = {"Sec-Fetch-Site": "same-origin"}

JSON = files(learned("bytes with special tokens"))["tokenizer.json"]


def send(ask, *contents, path="/api/tokenizers", headers=SITE, **fields):
    """Upload files, each contents or a pair of name and contents."""
    pairs = [one if isinstance(one, tuple) else ("a file", one) for one in contents]
    return ask("POST", path, files=[("file", pair) for pair in pairs], data=fields, headers=headers)
