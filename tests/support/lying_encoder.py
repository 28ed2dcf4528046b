"""An encoder that is wrong."""


class Lying:
    """An encoder that gives one wrong id for a text that says so."""

    def __init__(self, reference):
        self.reference = reference

    def encode(self, documents):
        ids, offsets = self.reference.encode(documents)
        if any(b"lie" in document for document in documents):
            ids = ids + 1
        return ids, offsets
