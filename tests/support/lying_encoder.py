"""Encoders that are wrong."""

from dataclasses import astuple

from tokenarium.types import Encoding


class Lying:
    """An encoder that gives one wrong id for a text that says so."""

    def __init__(self, reference):
        self.reference = reference

    def encode(self, documents):
        ids, offsets = self.reference.encode(documents)
        if any(b"lie" in document for document in documents):
            ids = ids + 1
        return ids, offsets


class Losing:
    """A registry in which an engine loses the last token of each text."""

    def __init__(self, registry, engine):
        self.registry = registry
        self.engine = engine

    def get(self, id, engine=None):
        tokenizer = self.registry.get(id, engine)
        return LosingTokenizer(tokenizer) if tokenizer.engine == self.engine else tokenizer


class LosingTokenizer:
    """A tokenizer that loses the last token of each text."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.info = tokenizer.info
        self.engine = tokenizer.engine

    def encode(self, text, **options):
        return Encoding(*(column[:-1] for column in astuple(self.tokenizer.encode(text, **options))))
