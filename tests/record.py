"""What users and programs get, written to files: before a rebuilding and after it, `diff -r` shows what has changed.

`PYTHONHASHSEED=0 python -m tests.record FOLDER [KIND ...]` writes the description of the API and its answers to the
examples in it; ids, spans and decodings of every tokenizer on each engine; the help and the JSON of commands; the steps
of scenes and examples; and pages as their links lead to them, without what differs at each request.
"""

import hashlib
import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory

from tokenarium.__main__ import COMMANDS, main
from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.steps.examples import EXAMPLES
from tokenarium.lab.steps.runs import follow
from tokenarium.lab.tokenize import tokenize
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.support.asking import asking
from tests.support.strings import NASTY

PAGES = 120
"""Addresses that are read: those that links reach first."""
CHANGING = re.compile(r'(?<=[?&]v=)[0-9a-f]+|\d+(\.\d+)?(?=(&nbsp;|\s)(ms|µs)\b)|(?<=["/])[\w-]{22}(?=["/])')
"""Versions of static files, times, and the ids of jobs."""
ADDRESS = re.compile(" at 0x[0-9a-f]+")
LINKS = re.compile(r'<a [^>]*href="(/[^"#]*)')
COMMAND_LINES = (
    "tokenize -t gpt2 -e Hello --json",
    "tokenize -t bert -e Hello",
    "detokenize -t gpt2 -e 15496",
    "count -t gpt-4o README.md",
    "count -t gpt-4o README.md --json",
    "compare -t gpt2,bert -e Hello --json",
    "compare -t gpt2,bert -e Hello",
    "show -t bert -e Hello",
    "list --json",
    "list",
    "vocabulary udhr-unigram-16k --json",
    "du LICENSES --json",
)


class Recorder:
    """Writes recordings below a folder, with an app and a registry of its own."""

    def __init__(self, folder: Path, local: Path) -> None:
        self.folder = folder
        settings = replace(Settings(), default="o200k_base", max_loaded=10**12, workers=0, local=local)
        self.registry = Registry(settings)
        self.app = create_app(settings, registry=self.registry)
        self.ask = asking(self.app)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogatepass")

    def api(self) -> None:
        """The description, and the answer to the example of each operation."""
        description = self.app.openapi()
        self.write("openapi.json", json.dumps(description, indent=1, ensure_ascii=False))
        schemas = description["components"]["schemas"]
        for path, operations in description["paths"].items():
            for method, operation in operations.items():
                content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
                reference = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
                example = content.get("example", schemas.get(reference, {}).get("example"))
                query = "&".join(
                    f"{one['name']}={one['example']}" for one in operation.get("parameters", ()) if "example" in one
                )
                if method not in ("get", "post") or "{" in path or (method == "post" and example is None):
                    continue
                answer = self.ask(method.upper(), f"{path}?{query}" if query else path, json=example)
                name = f"api/{method}{path.replace('/', '_')}"
                self.write(name, f"{answer.status_code}\n{CHANGING.sub('#', answer.text)}\n")

    def tokenizers(self) -> None:
        """A line for each tokenizer, engine and text: ids and spans in short, and a hash of the decoding."""
        for info in self.registry.infos():
            lines = []
            for engine in info.engines:
                for name, text in NASTY.items():
                    try:
                        found = tokenize(self.registry, text, tokenizer=info.id, engine=engine, special="parse")
                        encoding = found.encoding
                        columns = (encoding.ids, encoding.char_starts, encoding.char_ends)
                        decoded = self.registry.get(info.id, engine).decode([*map(int, encoding.ids)])
                        told = [[*map(int, column)] for column in columns], decoded
                    except Exception as error:
                        told = f"{type(error).__name__}: {error}"
                    digest = hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]
                    lines.append(f"{engine} {name}: {digest}\n")
            self.write(f"tokenizers/{info.id.replace('/', '_')}", "".join(lines))

    def commands(self) -> None:
        """The help of each command, and what some lines print."""
        for name in COMMANDS:
            self.write(f"commands/{name}-help", run([name, "--help"]))
        for number, line in enumerate(COMMAND_LINES):
            self.write(f"commands/{number}", f"{line}\n{run(line.split())}")

    def steps(self) -> None:
        """The steps of each scene for its text, and the frames of each example."""
        for scene in SCENES:
            trace = scene.trace(scene.text, self.registry)
            self.write(
                f"steps/{scene.id}", "".join(ADDRESS.sub("", f"{part!r}\n") for part in (*trace.steps, trace.question))
            )
        for example in EXAMPLES:
            self.write(f"steps/examples/{example.id}", f"{follow(self.registry, example.options).data()!r}\n")

    def pages(self) -> None:
        """Pages in the order in which links lead to them, without what changes."""
        addresses = ["/"]
        for address in addresses:
            answer = self.ask("GET", address, headers={"Accept": "text/html"})
            text = CHANGING.sub("#", answer.text)
            name = re.sub(r"\W", "_", address)[:100]
            self.write(f"pages/{name}", f"{address} {answer.status_code}\n{text}")
            for link in LINKS.findall(answer.text):
                link = link.replace("&amp;", "&")
                if link not in addresses and len(addresses) < PAGES and not link.startswith("/static"):
                    addresses.append(link)


def run(words: list[str]) -> str:
    """Return what a command prints, and how it ends."""
    output = TextIOWrapper(BytesIO(), encoding="utf-8", newline="", write_through=True)
    errors = StringIO()
    ended: object = 0
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            main(words)
        except SystemExit as error:
            ended = error.code
    text = output.buffer.getvalue().decode()
    return f"{text}{errors.getvalue()}exit {ended}\n"


def record(folder: Path, kinds: list[str]) -> None:
    with TemporaryDirectory() as local:
        recorder = Recorder(folder, Path(local))
        for kind in kinds or ["pages", "api", "tokenizers", "commands", "steps"]:
            getattr(recorder, kind)()


if __name__ == "__main__":
    record(Path(sys.argv[1]), sys.argv[2:])
