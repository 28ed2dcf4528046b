"""The unigram tokenizer trained on the Universal Declaration of Human Rights, for `udhr-unigram-16k`.

The same short text in 532 versions, each used once, so that no language dominates: the vocabulary shows what 16,000
pieces shared by all languages look like. Text is changed as little as SentencePiece allows: no Unicode normalization,
and runs of spaces are kept, so that the tokens join to the text itself, except that `▁` (U+2581) stands for a space. A
space is put in front of the text, as in well-known models, so that the first word is the same piece as later ones. Rare
characters, together one in 2,000 of the text, become bytes.

Nothing is sampled or shuffled, and training uses one thread, because sums of floats depend on their order: the same
release of SentencePiece gives the same model, byte for byte.
"""

from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from io import BytesIO


def paragraphs(page: str) -> list[str]:
    """Return the headings and paragraphs of a declaration, without its title, each as one line.

    >>> paragraphs("<title>Afrikaans</title><h2>Artikel 1</h2><ol><li><p>Alle menslike\\n wesens &#x26; regte</p></ol>")
    ['Artikel 1', 'Alle menslike wesens & regte']
    """
    reader = _Paragraphs()
    reader.feed(page)
    reader.close()
    return reader.paragraphs


def train(lines: Iterable[str], vocab_size: int) -> bytes:
    """Train a SentencePiece unigram model with byte fallback, and no special tokens except the unknown one.

    Returns the model file, identical for identical lines. `vocab_size` counts the 256 bytes. Raises `RuntimeError`,
    from SentencePiece, for a size that the lines cannot fill.
    """
    from sentencepiece import SentencePieceTrainer

    model = BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type="unigram",
        vocab_size=vocab_size,
        byte_fallback=True,
        character_coverage=0.9995,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=True,
        max_sentence_length=100_000,
        shuffle_input_sentence=False,
        num_threads=1,
        bos_id=-1,
        eos_id=-1,
        minloglevel=2,
    )
    return model.getvalue()


def unigram_model(pages: Sequence[bytes]) -> bytes:
    """Train on whole declarations, in the order given, with the 16,000 pieces of `udhr-unigram-16k`."""
    return train((line for page in pages for line in paragraphs(page.decode())), 16_000)


class _Paragraphs(HTMLParser):
    """Every run of text is a paragraph: the declarations have no markup inside one."""

    def __init__(self) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"

    def handle_data(self, data: str) -> None:
        line = " ".join(data.split())
        if line and not self._in_title:
            self.paragraphs.append(line)
