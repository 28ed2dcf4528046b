"""Texts to compare on, each chosen because tokenizers part on it."""

from app.lab.examples import ARABIC, CHINESE, EMOJI, ENGLISH, HELLO, SPACES, Example

HINDI = """\
गाँव के बाहर एक पुराना पुस्तकालय था, जहाँ बच्चे हर शाम कहानियाँ पढ़ने आते थे। वहाँ की किताबें कई भाषाओं में थीं, और हर भाषा \
अपने अक्षर, अपनी मात्राएँ और अपना संगीत लेकर आती थी। एक दिन किसी ने पूछा: क्या मशीन भी इन शब्दों को हमारी तरह पढ़ती है?
"""

PYTHON = '''\
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A half-open stretch of numbers."""

    start: int
    stop: int

    def __len__(self) -> int:
        return max(0, self.stop - self.start)

    def overlaps(self, other: "Interval") -> bool:
        return self.start < other.stop and other.start < self.stop


if __name__ == "__main__":
    intervals = [Interval(i, i + 1_000) for i in range(0, 10_000, 750)]
    print(f"{len(intervals)} intervals, {sum(map(len, intervals))} numbers")
'''

ARITHMETIC = "1234567 + 7654321"

EXAMPLES = (
    Example("arithmetic", "Arithmetic", "digits in threes, in pairs, one by one", ARITHMETIC),
    Example("hindi", "Hindi", "conjuncts and vowel signs, whole or in bytes", HINDI),
    Example("python", "Python file", "indentation, names, underscores", PYTHON),
    Example("hello", "Hello", "an emoji cut in two", HELLO),
    Example("english", "English", "common words whole, rare ones in pieces", ENGLISH),
    Example("chinese", "Chinese", "characters without spaces", CHINESE),
    Example("arabic", "Arabic", "right to left", ARABIC),
    Example("emoji", "Emoji", "families, skin tones, flags", EMOJI),
    Example("spaces", "White space", "tabs, line ends, invisible characters", SPACES),
)


def example(id: str) -> Example | None:
    """The example of this id.

    >>> example("arithmetic").text
    '1234567 + 7654321'
    """
    return next((one for one in EXAMPLES if one.id == id), None)
