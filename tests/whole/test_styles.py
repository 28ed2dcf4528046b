"""Which sheet styles which class: where two sheets of a page do, the later one changes what the other draws."""

import re
from functools import cache
from itertools import chain

from tokenarium.settings import ROOT
from tokenarium.web.joined import join_sheets

SHEETS = sorted((ROOT / "static/css").glob("*.css"))
NO_RULES = re.compile(r"""/\*.*?\*/|"[^"]*"|'[^']*'|url\([^)]*\)""", re.DOTALL)
ARGUMENTS = r"\(((?:[^()]|\([^()]*\))*)\)"
RESTYLED = 108
"""Classes that a second sheet of a page styles within its page or within a part of its own."""


def split(text, separators):
    """The parts between separators that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and letter in separators:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def selectors(css, around=("",)):
    """Each selector of a sheet, with those around it where rules are nested."""
    css = NO_RULES.sub("", css)
    at = 0
    while "{" in css[at:]:
        head = css[at : css.index("{", at)].rpartition(";")[2].strip()
        start = at = css.index("{", at) + 1
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[at], 0)
            at += 1
        body = css[start : at - 1]
        if head.startswith("@"):
            yield from selectors(body, around)
        else:
            each = [(one, outer) for one in split(head, ",") for outer in around]
            own = [one.replace("&", outer) if "&" in one else f"{outer} {one}".strip() for one, outer in each]
            yield from own
            yield from selectors(body, own)


def alternatives(selector):
    """The classes of what is selected, and the classes and ids around it, for each alternative of an `:is()`."""
    *outer, last = split(re.sub(r"\[[^]]*\]|:(?:has|not)" + ARGUMENTS, ":", selector), " >+~\n")
    around = set(re.findall(r"[.#]([\w-]+)", " ".join(outer)))
    chosen = re.search(":is" + ARGUMENTS, last)
    own = set(re.findall(r"\.([\w-]+)", re.sub(r":[\w-]+" + ARGUMENTS, "", last)))
    for subject, within in chain.from_iterable(map(alternatives, split(chosen[1], ","))) if chosen else [((), ())]:
        yield own.union(subject), around.union(within)


@cache
def styled(sheet):
    """The classes that a sheet styles, and those that it styles alone: beside no other, and in no page and no part."""
    css = (ROOT / "static" / sheet).read_text()
    found = [(own, around) for one in selectors(css) for own, around in alternatives(one)]
    classes = {name for own, _ in found for name in own if not name.startswith("page-")}
    return classes, {name for name in classes if ({name}, set()) in found}


def styled_twice(kind):
    """The classes that two sheets of a page style, each with these sheets; `kind` is 1 for those styled alone."""
    twice = {}
    for page in SHEETS:
        by_class = {}
        for sheet in join_sheets(ROOT / "static", f"css/{page.name}").paths:
            for name in styled(sheet)[kind]:
                by_class.setdefault(name, set()).add(sheet)
        twice |= {name: sheets for name, sheets in by_class.items() if len(sheets) > 1}
    return twice


def test_rules_are_read_with_all_that_is_around_them():
    css = """@media print { .a { top: 0; .b, p { content: '{;' } &.c > d { top: 0 } /* .x {} */ } }
        @font-face { src: url(data:a;b) } e { top: 0 }"""
    assert list(selectors(css)) == [".a", ".a .b", ".a p", ".a.c > d", "e"]
    assert list(alternatives("#a .b:has(.c) > :is(d, .e, .g .h).f:not(.i)[x='.j']::before")) == [
        ({"f"}, {"a", "b"}),
        ({"e", "f"}, {"a", "b"}),
        ({"f", "h"}, {"a", "b", "g"}),
    ]


def test_a_class_belongs_to_one_sheet_of_a_page():
    """It belongs to the sheet that styles it alone; others may do so only within their page or a part of their own."""
    assert styled_twice(1) == {}


def test_no_more_classes_are_styled_again_within_a_page_or_a_part():
    """This number may only fall: what looks different in a part is a class of the part."""
    assert len(styled_twice(0)) <= RESTYLED
