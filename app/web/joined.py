"""A style sheet or an ES module joined into one text with all that it imports, so that a page asks for one file.

The forms in which the files of `static` are written are understood, no others: an import is a line of its own, and an
export stands before a function, a class or one constant. Any other form raises `CannotJoin`. Each line of a source is a
line of the result, below a comment that names its file. The packages that join modules are compilers of other languages
or expect Node.js.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath

SHEET_IMPORT = re.compile(r'^@import "(?P<path>[\w/.]+\.css)";$', re.MULTILINE)
IMPORT = re.compile(
    r'^import (?:(?:(?P<names>\{ \w+(?:, \w+)* \})|\* as (?P<all>\w+)) from )?"(?P<path>\.\.?/[\w/.]+\.js)";$',
    re.MULTILINE,
)
LATER = re.compile(r'\bimport\("(?P<path>\.\.?/[\w/.]+\.js)"\)')
EXPORT = re.compile(r"^export (?=(?:async )?function\*? (\w+)\(|class (\w+) |const (\w+) = )", re.MULTILINE)
STRANGE_SHEET = re.compile(r'^.*(?:@import|url\((?!"(?:/|data:))).*$', re.MULTILINE)
STRANGE_MODULE = re.compile(r"""^(?:import\b.*["'{*].*|export\b.*|.*\bimport(?:\.meta|\((?!"/)).*)$""", re.MULTILINE)
PATH = re.compile(r"js(?:/[a-z0-9_]+)+\.js")


class CannotJoin(ValueError):
    """A static file is written in a way that cannot be joined."""


@dataclass(frozen=True, slots=True)
class JoinedFile:
    """The text of a file with all that it imports, and the paths of the files on which the text depends."""

    text: str
    paths: tuple[str, ...]


def join_sheets(root: Path, path: str) -> JoinedFile:
    """Return a style sheet below all that it imports, each once, in the order of the imports."""
    sheets = _closure(root, path, SHEET_IMPORT)
    texts = []
    for one, text in sheets.items():
        body = SHEET_IMPORT.sub("", text).strip()
        _refuse(STRANGE_SHEET, one, body)
        texts.append(f"/* {one} */\n{body}\n")
    return JoinedFile("".join(texts), tuple(sheets))


def join_modules(root: Path, path: str, address: Callable[[str], str]) -> JoinedFile:
    """Return an ES module below all that it imports, of which each is a function that runs once.

    `address` returns the address of a module that is imported later, by `import("…")`. An absolute address stays.
    """
    modules = _closure(root, path, IMPORT)
    for one, text in modules.items():
        _refuse(STRANGE_MODULE, one, EXPORT.sub("", LATER.sub("", IMPORT.sub("", text))))
    later = [_resolve(one, found["path"]) for one, text in modules.items() for found in LATER.finditer(text)]
    separate = {one for start in later for one in _closure(root, start, IMPORT)}
    if twice := sorted(modules.keys() & separate):
        raise CannotJoin(f"{path}: {', '.join(twice)} would run twice, as it is imported at once and later.")
    texts = []
    for one, text in modules.items():
        linked = _link(one, text, modules, address)
        texts.append(f"// {one}\n{linked if one == path else _as_function(one, linked)}")
    return JoinedFile("".join(texts), (*modules, *sorted(separate)))


def _closure(root: Path, path: str, pattern: re.Pattern[str]) -> dict[str, str]:
    """Return the texts of a file and of all that it imports, by path: what a file imports comes before it."""
    found: dict[str, str] = {}

    def visit(path: str, importers: tuple[str, ...]) -> None:
        if path in importers:
            raise CannotJoin(f"{' imports '.join((*importers, path))}, which is a circle.")
        if path not in found:
            if importers and not (root / path).is_file():
                raise CannotJoin(f"{path}, which {importers[-1]} imports, does not exist.")
            text = (root / path).read_text(encoding="utf-8")
            for one in pattern.finditer(text):
                visit(_resolve(path, one["path"]), (*importers, path))
            found[path] = text

    visit(path, ())
    return found


def _link(path: str, text: str, modules: Mapping[str, str], address: Callable[[str], str]) -> str:
    """Return the text of a module in which what other modules export comes from their functions."""

    def link(found: re.Match[str]) -> str:
        target = _resolve(path, found["path"])
        missing = set(re.findall(r"\w+", found["names"] or "")) - set(_exports(modules[target]))
        if missing:
            raise CannotJoin(f"{path}: {target} does not export {', '.join(sorted(missing))}.")
        wanted = found["names"] or found["all"]
        return f"const {wanted} = {_variable(target)};" if wanted else ""

    later = LATER.sub(lambda found: f'import("{address(_resolve(path, found["path"]))}")', text)
    return IMPORT.sub(link, later)


def _as_function(path: str, text: str) -> str:
    """Return a module as a constant: what it exports, which is what a function of its text returns."""
    exports = ", ".join(_exports(text))
    return f"const {_variable(path)} = (() => {{\n{EXPORT.sub('', text)}return {{ {exports} }};\n}})();\n"


def _exports(text: str) -> list[str]:
    return [name for names in EXPORT.findall(text) for name in names if name]


def _variable(path: str) -> str:
    """Return the constant of a module; no module has names of its own with a dollar.

    >>> _variable("js/picker/rows.js")
    '$picker$rows'
    """
    if not PATH.fullmatch(path):
        raise CannotJoin(f"{path}: the path of a module consists of a-z, 0-9 and _ within folders of js.")
    return path.removeprefix("js").removesuffix(".js").replace("/", "$")


def _resolve(importer: str, path: str) -> str:
    """Return the path, below the folder of static files, of what a file imports.

    >>> _resolve("js/picker/rows.js", "../part.js")
    'js/part.js'
    """
    return normpath(join(dirname(importer), path))


def _refuse(pattern: re.Pattern[str], path: str, text: str) -> None:
    if strange := pattern.search(text):
        raise CannotJoin(f"{path}: {strange[0].strip()!r} is a form that cannot be joined.")
