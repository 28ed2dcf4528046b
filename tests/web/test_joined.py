"""Style sheets and modules joined into one file: what comes first, what a module sees of others, what is refused."""

import re

import pytest
from tokenarium.settings import ROOT
from tokenarium.web.joined import CannotJoin, join_modules, join_sheets

FOLDER = ROOT / "static"
HALL = tuple(f"js/hall/{name}.js" for name in ("bars", "leader", "live", "picture"))
LATER = ("js/search.js", "js/picker/request.js", *HALL)
"""Modules that pages load when they are first used."""


@pytest.fixture
def write(tmp_path):
    """Write files into a folder, which is returned: `write({"js/a.js": "…"})`."""

    def write(files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return tmp_path

    return write


def address(path):
    return f"/static/0/{path}"


def joined(folder, path="js/page.js"):
    return join_modules(folder, path, address).text


def test_a_module_is_joined_below_what_it_imports_each_once(write):
    folder = write(
        {
            "js/page.js": '// The page.\n\nimport "./a.js";\nimport { count } from "./deep/b.js";\n\ncount();\n',
            "js/a.js": 'import { count } from "./deep/b.js";\n\ncount();\n',
            "js/deep/b.js": "let n = 0;\n\nexport function count() {\n  n += 1;\n}\n",
        }
    )
    assert joined(folder) == (
        "// js/deep/b.js\n"
        "const $deep$b = (() => {\nlet n = 0;\n\nfunction count() {\n  n += 1;\n}\nreturn { count };\n})();\n"
        "// js/a.js\n"
        "const $a = (() => {\nconst { count } = $deep$b;\n\ncount();\nreturn {  };\n})();\n"
        "// js/page.js\n"
        "// The page.\n\n\nconst { count } = $deep$b;\n\ncount();\n"
    )


def test_names_of_different_modules_do_not_clash(write):
    folder = write(
        {
            "js/page.js": 'import { name } from "./a.js";\nimport * as b from "./b.js";\nconst form = b.name + name;\n',
            "js/a.js": "const form = 2;\nexport const name = form;\n",
            "js/b.js": "const form = 3;\nexport const name = form;\nexport class Form {}\n",
        }
    )
    text = joined(folder)
    assert "const { name } = $a;\nconst b = $b;\nconst form = b.name + name;" in text
    assert "return { name, Form };" in text


def test_a_module_that_is_imported_later_keeps_its_own_address(write):
    folder = write(
        {
            "js/page.js": 'const load = async () => (await import("./late.js")).open();\n',
            "js/late.js": 'import { a } from "./a.js";\nexport function open() {\n  a();\n}\n',
            "js/a.js": "export function a() {}\n",
        }
    )
    page = join_modules(folder, "js/page.js", address)
    assert page.text == '// js/page.js\nconst load = async () => (await import("/static/0/js/late.js")).open();\n'
    assert page.paths == ("js/page.js", "js/a.js", "js/late.js")
    assert joined(folder, "js/late.js").endswith("const { a } = $a;\nexport function open() {\n  a();\n}\n")


def test_modules_in_a_circle_are_refused(write):
    imports = {"page": "a", "a": "b", "b": "a"}
    folder = write({f"js/{one}.js": f'import "./{other}.js";\n' for one, other in imports.items()})
    with pytest.raises(CannotJoin, match=r"js/a.js imports js/b.js imports js/a.js, which is a circle"):
        joined(folder)


def test_a_module_that_is_imported_at_once_and_later_is_refused(write):
    folder = write(
        {
            "js/page.js": 'import "./a.js";\nimport("./late.js");\n',
            "js/late.js": 'import "./a.js";\n',
            "js/a.js": "",
        }
    )
    with pytest.raises(CannotJoin, match=r"js/a.js would run twice"):
        joined(folder)


@pytest.mark.parametrize(
    "line",
    [
        'import a from "./a.js";',
        'import { a as b } from "./a.js";',
        'import { a,\n  b } from "./a.js";',
        'import a, { b } from "./a.js";',
        'import { a } from "package";',
        "import { a } from './a.js';",
        "export default function a() {}",
        "export let a = 1;",
        "export { a };",
        'export * from "./a.js";',
        "export const { a } = b;",
        "const here = import.meta.url;",
        "const late = await import(path);",
    ],
)
def test_any_other_form_is_refused(write, line):
    folder = write({"js/page.js": f"// A page.\n{line}\n", "js/a.js": "export const a = 1;\nexport const b = 1;\n"})
    with pytest.raises(CannotJoin, match=r"js/page.js: .* is a form that cannot be joined"):
        joined(folder)


def test_what_a_module_does_not_export_cannot_be_imported(write):
    folder = write({"js/page.js": 'import { a, b } from "./a.js";\n', "js/a.js": "export const a = 1;\nconst b = 2;\n"})
    with pytest.raises(CannotJoin, match=r"js/page.js: js/a.js does not export b"):
        joined(folder)


def test_a_file_that_does_not_exist_is_refused(write):
    with pytest.raises(CannotJoin, match=r"js/a.js, which js/page.js imports, does not exist"):
        joined(write({"js/page.js": 'import "./a.js";\n'}))


def test_a_sheet_is_joined_below_what_it_imports_each_once(write):
    folder = write(
        {
            "css/page.css": '/* A page. */\n\n@import "site.css";\n@import "text.css";\n\np { color: red; }\n',
            "css/site.css": '@import "tokens.css";\n@import "text.css";\n',
            "css/tokens.css": "@layer a, b;\n",
            "css/text.css": 'i { background: url("/static/x.svg"); }\n',
        }
    )
    assert join_sheets(folder, "css/page.css").text == (
        "/* css/tokens.css */\n@layer a, b;\n"
        '/* css/text.css */\ni { background: url("/static/x.svg"); }\n'
        "/* css/site.css */\n\n"
        "/* css/page.css */\n/* A page. */\n\n\n\n\np { color: red; }\n"
    )


@pytest.mark.parametrize("line", ['@import url("a.css");', '@import "a.css" print;', 'p { background: url("a.svg"); }'])
def test_a_sheet_of_another_form_is_refused(write, line):
    with pytest.raises(CannotJoin, match=r"css/page.css: .* is a form that cannot be joined"):
        join_sheets(write({"css/page.css": line, "css/a.css": ""}), "css/page.css")


@pytest.mark.parametrize("path", sorted(str(one.relative_to(FOLDER)) for one in FOLDER.glob("js/pages/*.js")))
def test_the_modules_of_every_page_can_be_joined(path):
    page = join_modules(FOLDER, path, address)
    assert page.paths.index("js/presenter/page.js") < page.paths.index(path)
    assert re.findall(r"^// (js/.*\.js)$", page.text, re.MULTILINE) == [one for one in page.paths if one not in LATER]


@pytest.mark.parametrize("path", sorted(str(one.relative_to(FOLDER)) for one in FOLDER.glob("css/*.css")))
def test_every_sheet_can_be_joined_and_the_order_of_layers_comes_first(path):
    sheet = join_sheets(FOLDER, path)
    assert path in sheet.paths
    if len(sheet.paths) > 1:
        assert sheet.paths[0] == "css/tokens.css"
