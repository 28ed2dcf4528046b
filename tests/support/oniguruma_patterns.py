"""Patterns of Oniguruma's grammar, and texts that they are likely to match, as Hypothesis strategies."""

from hypothesis import strategies as st
from tokenarium.scratch.compat.unicode_versions import CHANGED

CHARS = (
    "abzAKSſsKßẞfiFﬁﬀﬃtﬅσςΣ1٣²½_- \n\r\x85\u2028&[]^é\u0301漢αΩあ\u0295\u0258\u0378\U0001f600\U00010d50\U00010d70İıǆ"
)
NEWER = "".join(sorted(CHANGED))
ALL_CODE_POINTS = st.characters(exclude_categories=("Cs",))
TEXTS = st.lists(
    st.one_of(st.sampled_from(CHARS), st.sampled_from(NEWER), ALL_CODE_POINTS, st.sampled_from(["ss", "ffi", "\r\n"])),
    max_size=16,
).map("".join)
LITERALS = st.one_of(
    st.sampled_from("abzAKsßfiﬁﬀtσ1_ é漢α\u0295\u0378\u0558'-"),
    st.sampled_from(
        [r"\x{df}", r"\x41", r"\u0073", r"\e", r"\cA", r"\n", r"\t", r"\.", r"\012", r"\x{1f600}", "ss", "ffi"]
    ),
)
POSIX = [
    "alnum",
    "alpha",
    "ascii",
    "blank",
    "cntrl",
    "digit",
    "graph",
    "lower",
    "print",
    "punct",
    "space",
    "upper",
    "word",
    "xdigit",
]
PROPERTIES = [
    "L",
    "Lu",
    "Ll",
    "M",
    "N",
    "Nd",
    "P",
    "S",
    "Z",
    "^L",
    "Greek",
    "Han",
    "Cyrillic",
    "Alphabetic",
    "Word",
    "Cn",
]
CLASSES = st.one_of(
    st.sampled_from([r"\w", r"\W", r"\s", r"\S", r"\d", r"\D", r"\h", r"\H"]),
    st.builds(r"\{}{{{}}}".format, st.sampled_from("pP"), st.sampled_from(PROPERTIES)),
)
RANGES = st.sampled_from(
    [
        "a-z",
        "a-c-e",
        "0-9-",
        "-_",
        "A-Z",
        "0-9",
        "à-ÿ",
        "一-龥",
        r"\x{500}-\x{5ff}",
        "ß-ﬁ",
        "À-ʯ",
        "!-/",
        r"\x{a7c0}-\x{10fff}",
    ]
)
MEMBERS = st.one_of(
    LITERALS.filter(lambda part: part not in ("-", "ss", "ffi")),
    CLASSES,
    RANGES,
    st.builds("[:{}{}:]".format, st.sampled_from(["", "^"]), st.sampled_from(POSIX)),
)
UNIONS = st.lists(MEMBERS, min_size=1, max_size=3).map("".join)
SETS = st.recursive(
    st.builds("[{}{}]".format, st.sampled_from(["", "^"]), UNIONS),
    lambda inner: st.builds(
        "[{}{}]".format,
        st.sampled_from(["", "^"]),
        st.lists(st.lists(st.one_of(UNIONS, inner), min_size=1, max_size=2).map("".join), min_size=1, max_size=2).map(
            "&&".join
        ),
    ),
    max_leaves=3,
)
ATOMS = st.one_of(LITERALS, SETS, CLASSES, st.sampled_from([".", r"\R", r"\X", r"\N", r"\O"]))
ASSERTIONS = st.sampled_from(["^", "$", r"\A", r"\z", r"\Z", r"\b", r"\B", ""])
REPEATS = st.sampled_from(
    ["", "", "", "*", "+", "?", "*?", "+?", "??", "++", "*+", "?+", "{2}", "{1,2}", "{,2}", "{1,}?", "{2}?", "{1,2}+"]
)
OPENINGS = st.sampled_from(
    ["(?:", "(", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?m:", "(?i-m:", "(?-i:", "(?x: ", "(?:(?i)", "(?<name>"]
)


def _sequences(atoms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeated = st.builds("{}{}".format, atoms, REPEATS)
    parts = st.lists(st.one_of(repeated, repeated, repeated, ASSERTIONS), min_size=1, max_size=3).map("".join)
    return st.lists(parts, min_size=1, max_size=3).map("|".join)


BODIES = st.recursive(
    _sequences(ATOMS),
    lambda inner: _sequences(st.one_of(ATOMS, st.builds("{}{})".format, OPENINGS, inner))),
    max_leaves=4,
)
PATTERNS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "", "(?i)", "(?m)", "(?x)"]),
    BODIES,
    st.sampled_from(["", "", r"(a)\1", r"(?<n>\w)\k<n>"]),
)
