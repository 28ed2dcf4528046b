"""The character map of a SentencePiece model as Hugging Face's library applies it, which is another way.

It looks at one grapheme cluster at a time and takes the shortest rule that matches its beginning, where SentencePiece
takes the longest at each place; what the rule does not cover of a cluster is lost with it.
"""

import regex

from app.scratch.aligned import Aligned, Change
from app.scratch.charsmap import CharsMap
from app.scratch.normalize import Normalizer

CLUSTER = regex.compile(r"\X")


def precompiled(charsmap: CharsMap) -> Normalizer:
    """Replace short clusters as a whole, then the characters of the others, each by its rule.

    >>> units = [1 << 10, 0, 0, 0, 1 << 31 | 2] + [0] * 91 + [1 << 8 | 100 << 10 | ord("a")]
    >>> precompiled(CharsMap(units, b"x\\0yz\\0"))(Aligned.of("ba"))
    Aligned(text='byz', starts=[0, 1, 1], ends=[1, 2, 2], at=0)
    """

    def normalized(text: Aligned) -> Aligned:
        changes: list[Change] = []
        modified = False
        for found in CLUSTER.finditer(text.text):
            cluster = found.group()
            new = charsmap.shortest(cluster.encode()) if len(cluster.encode()) < 6 else None
            for part in [cluster] if new is not None else cluster:
                if (new := charsmap.shortest(part.encode())) is None:
                    changes.append((part, 0))
                    continue
                modified = True
                _replace(changes, len(part), new)
        return text.changed(changes) if modified else text

    return normalized


def _replace(changes: list[Change], size: int, new: str) -> None:
    """Put new characters in the place of so many; if they are fewer, the last takes the place of the others, too."""
    changes += [(char, int(i >= size)) for i, char in enumerate(new)]
    if len(new) < size and changes:
        char, change = changes[-1]
        changes[-1] = (char, change + len(new) - size)
