"""Texts to compare tokenizers on: single examples, and built-in sets of short texts of one kind.

One set is read from the store: the first article of the Universal Declaration of Human Rights in every language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..examples import EXAMPLES as OF_PLAYGROUND
from ..examples import TextExample, get_example
from ..languages.declarations import declarations

HINDI = """\
गाँव के बाहर एक पुराना पुस्तकालय था, जहाँ बच्चे हर शाम कहानियाँ पढ़ने आते थे। वहाँ की किताबें कई भाषाओं में थीं, और हर भाषा \
अपने अक्षर, अपनी मात्राएँ और अपना संगीत लेकर आती थी। एक दिन किसी ने पूछा: क्या मशीन भी इन शब्दों को हमारी तरह पढ़ती है?
"""

PYTHON = '''\
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A half-open interval of numbers."""

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
    TextExample("arithmetic", "Arithmetic", "digits in groups of three, of two, one by one", ARITHMETIC),
    TextExample("hindi", "Hindi", "conjuncts and vowel signs, whole or in bytes", HINDI),
    TextExample("python", "Python file", "indentation, names, underscores", PYTHON),
    *(get_example(id, OF_PLAYGROUND) for id in ("hello", "english", "chinese", "arabic", "emoji", "spaces")),
)


@dataclass(frozen=True, slots=True)
class TextSet:
    """A set of texts by name, with a title."""

    id: str
    title: str
    texts: Mapping[str, str]


PROSE = {
    "Story": "The lighthouse keeper counted the steps every evening, although there had never been more or fewer than "
    "two hundred and eleven. Tonight she counted two hundred and twelve, and stood still in the dark.",
    "News": "The council voted nine to four on Tuesday to rebuild the bridge that last winter's flood carried away. "
    "Work begins in April and is expected to cost 3.2 million pounds.",
    "Law": "Notwithstanding the foregoing, neither party shall be liable for any indirect or consequential loss, "
    "howsoever arising, unless such liability cannot be excluded under applicable law.",
    "Science": "Mitochondrial ribosomes translate thirteen polypeptides, all of them hydrophobic subunits of the "
    "oxidative phosphorylation complexes; their misassembly underlies several encephalomyopathies.",
}

JAVASCRIPT = """\
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
console.log(`The median is ${median([3, 1, 4, 1, 5, 9, 2, 6])}`);
"""

RUST = """\
use std::collections::HashMap;

fn count_words(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}
"""

C = """\
#include <stdint.h>

static uint32_t checksum(const uint8_t *bytes, size_t length) {
    uint32_t sum = 0x811c9dc5u;
    for (size_t i = 0; i < length; ++i) {
        sum = (sum ^ bytes[i]) * 0x01000193u;
    }
    return sum;
}
"""

SQL = """\
SELECT customers.name, COUNT(*) AS orders, SUM(orders.total_cents) / 100.0 AS spent
FROM customers
LEFT JOIN orders ON orders.customer_id = customers.id AND orders.placed_at >= DATE '2025-01-01'
GROUP BY customers.id
HAVING COUNT(*) > 3
ORDER BY spent DESC;
"""

CODE = {"Python": PYTHON, "JavaScript": JAVASCRIPT, "Rust": RUST, "C": C, "SQL": SQL}

MATHEMATICS = {
    "Arithmetic": "1234567 + 7654321 = 8888888\n99999 - 1 = 99998\n12.5% of 640 = 80\n355 / 113 = 3.14159292\n",
    "LaTeX": r"\[ \int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}, \qquad \sum_{n=1}^{\infty} \frac{1}{n^2} = "
    r"\frac{\pi^2}{6} \]",
    "Proof": "Suppose √2 = p/q in lowest terms. Then p² = 2q², so p is even, p = 2k, and q² = 2k² makes q even too: a "
    "contradiction. ∎",
    "Symbols": "∀ε>0 ∃δ>0 ∀x∈ℝ: |x−a|<δ ⇒ |f(x)−f(a)|<ε",
}

CHAT = {
    "Question": "user: hey, quick q — does the 7:42 still stop at Oakfield on sundays??\n"
    "assistant: Not any more. On Sundays the first train that stops there is the 8:12.\n",
    "Help": "user: my tomato leaves are turning yellow 😟 what am i doing wrong\n"
    "assistant: Yellowing from the bottom up usually means too much water. Let the top 3 cm dry out first. 🌱\n",
    "Markdown": "assistant: Here you go:\n\n1. **Preheat** to 180 °C\n2. Mix `flour`, `salt` and 2 eggs\n"
    "3. Bake for ~25 min\n\n> Tip: don't open the door early!\n",
}

UDHR = TextSet("udhr", "A sentence in 500 languages", {})
SETS = (
    TextSet("english", "English", PROSE),
    TextSet("code", "Code in five languages", CODE),
    TextSet("mathematics", "Mathematics", MATHEMATICS),
    TextSet("chat", "Chat", CHAT),
    UDHR,
)


def text_set(id: str, *, store: Path) -> TextSet:
    """Return the set with this id and its texts. Raises `Invalid` if there is none.

    >>> from tokenarium.settings import Settings
    >>> list(text_set("code", store=Settings().store).texts)
    ['Python', 'JavaScript', 'Rust', 'C', 'SQL']
    >>> text_set("udhr", store=Settings().store).texts["Breton (bre)"][-20:]
    'd a genvreudeuriezh.'
    """
    known = get_example(id, SETS, name="set")
    if known is not UDHR:
        return known
    texts = {f"{one.name} ({one.code})": one.articles[1] for one in declarations(store).values() if 1 in one.articles}
    return replace(UDHR, texts=texts)
