"""Sets of texts to compare on, built in: each text short, and of one kind.

A further set is one more entry of `SETS`. One is read from the store: the first article of the Universal Declaration
of Human Rights in every language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import Invalid, listed
from app.lab.compare.examples import PYTHON


@dataclass(frozen=True, slots=True)
class TextSet:
    """Texts by name, under a title."""

    id: str
    title: str
    texts: Mapping[str, str]


ENGLISH = {
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
    TextSet("english", "English", ENGLISH),
    TextSet("code", "Code in five languages", CODE),
    TextSet("mathematics", "Mathematics", MATHEMATICS),
    TextSet("chat", "Chat", CHAT),
    UDHR,
)


def text_set(id: str, *, store: Path) -> TextSet:
    """A set by its id, with its texts. Raises `Invalid`.

    >>> from app.settings import Settings
    >>> list(text_set("code", store=Settings().store).texts)
    ['Python', 'JavaScript', 'Rust', 'C', 'SQL']
    >>> text_set("udhr", store=Settings().store).texts["Breton (bre)"][-20:]
    'd a genvreudeuriezh.'
    """
    found = next((one for one in SETS if one.id == id), None)
    if found is None:
        raise Invalid(f"A set is one of {listed(one.id for one in SETS)}.", pointer="/set")
    return replace(found, texts=_first_articles(store)) if found is UDHR else found


def _first_articles(store: Path) -> Mapping[str, str]:
    from app.lab.languages.texts import declarations

    return {f"{one.name} ({one.code})": one.articles[1] for one in declarations(store).values() if 1 in one.articles}
