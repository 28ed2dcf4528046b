"""Natural text to measure with: English prose that every Python carries, and the same with other scripts in it."""

from pydoc_data.topics import topics

from tokenarium.lab.examples import EXAMPLES

from benchmarks.measure import scaled

MEGABYTE = scaled(1_000_000, 1_000)


def english(size: int = MEGABYTE) -> str:
    """The reference manual of Python, as ASCII prose of that many bytes."""
    prose = "".join(char for char in " ".join(topics[name] for name in sorted(topics)) if char.isascii())
    return (prose * (size // len(prose) + 1))[:size]


def mixed(size: int = MEGABYTE) -> str:
    """Stretches of that prose with the playground's examples between them: Chinese, Arabic, Hindi, emoji, code."""
    prose, parts, length = english(), [], 0
    samples = [example.text for example in EXAMPLES]
    while length < size:
        index = len(parts)
        part = prose[index * 300 : index * 300 + 300] + samples[index % len(samples)]
        parts.append(part)
        length += len(part.encode())
    return "".join(parts).encode()[:size].decode(errors="ignore")
