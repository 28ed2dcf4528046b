"""Inputs of the commands: literal texts, files and standard input, as a whole or line by line."""

import argparse
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ..corpus.beginnings import MARK_IS_TEXT, check_encoding
from ..errors import BadEncoding, TokenariumError
from ..lab.lines import LineSplitter
from ..serialize.terminal import printable

PART = 1 << 18  # bytes read at once


class UnreadableInput(TokenariumError, code="unreadable", title="The input cannot be read"):
    """The operating system cannot read an input; the detail is its reason."""


def add_inputs(
    parser: argparse.ArgumentParser, *, what: str = "text", files: str = "what to read; -, or none, is standard input"
) -> None:
    """Add the files to read, and the option that gives a text literally."""
    parser.add_argument("files", nargs="*", metavar="FILE", help=files)
    parser.add_argument("-e", "--text", action="append", default=[], metavar="TEXT", help=f"a {what}, literally")
    parser.set_defaults(lines=False)


def options(parser: argparse.ArgumentParser, *, what: str = "text") -> None:
    """Add the options of every command that answers inputs one by one."""
    add_inputs(parser, what=what)
    parser.add_argument("--lines", action="store_true", help=f"each line is a {what}, without LF or CRLF")
    parser.add_argument("--json", action="store_true", help="print what the API answers; of several, one a line")


@dataclass(frozen=True, slots=True)
class CommandInput:
    """A text, or a line of one by its number. `index` says which of the inputs it is, `name` what messages call it."""

    index: int
    name: str
    data: bytes
    line: int | None = None

    @property
    def text(self) -> str:
        """Raises `BadEncoding` with the place of the first byte that is not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            raise BadEncoding(f"Byte {error.start} is not UTF-8.") from None

    def __str__(self) -> str:
        return self.name if self.line is None else f"{self.name}, line {self.line}"


class CommandInputs:
    """The inputs of a command, in order. The error of one is printed on standard error, and the next follow.

    `silent`: the command prints nothing before the last input, so that a progress bar does not disturb its output.
    `texts`: they are tokenized as they are, and a byte order mark with them, which is said.
    """

    def __init__(self, args: argparse.Namespace, *, silent: bool = False, texts: bool = True) -> None:
        self.texts: list[str] = args.text
        self.files: list[str] = args.files or ([] if args.text else ["-"])
        self.names = ["--text"] * len(self.texts) + ["standard input" if file == "-" else file for file in self.files]
        self.lines: bool = args.lines
        self.is_texts = texts
        self.bar = sys.stderr.isatty() and (silent or not sys.stdout.isatty())
        self.failed: dict[int, int] = {}
        """The number of failures by index of an input."""

    def __iter__(self) -> Iterator[CommandInput]:
        for one, parts in self.streams():
            try:
                yield one if self.lines else replace(one, data=b"".join(parts))
            except UnreadableInput as error:
                self.fail(one, error.detail)

    def streams(self) -> Iterator[tuple[CommandInput, Iterator[bytes]]]:
        """Yield each input with its bytes, which are read as they are taken; they raise `UnreadableInput`.

        An input that is not a line has no data.
        """
        with self._progress() as moved:
            for index, name in enumerate(self.names):
                parts = self._parts(index, moved)
                one = CommandInput(index, name, b"")
                if not self.lines:
                    yield one, parts
                    continue
                try:
                    yield from ((line, iter((line.data,))) for line in self._lines(one, parts))
                except UnreadableInput as error:
                    self.fail(one, error.detail)
                if (times := self.failed.get(index, 0)) > 1:
                    print_error(f"{name}: {times:,} lines failed.")

    @staticmethod
    def _lines(one: CommandInput, parts: Iterator[bytes]) -> Iterator[CommandInput]:
        lines = LineSplitter(limit=sys.maxsize)
        for line in chain.from_iterable(chain(map(lines.feed, parts), [lines.end()])):
            yield replace(one, data=(line.data or b"").removesuffix(b"\r"), line=line.number)

    def _parts(self, index: int, moved: Callable[[int], object]) -> Iterator[bytes]:
        if index < len(self.texts):
            yield os.fsencode(self.texts[index])
            return
        path = self.files[index - len(self.texts)]
        standard = path == "-"
        try:
            with open(0 if standard else path, "rb", buffering=0, closefd=not standard) as file:
                part = file.read(PART)
                self._check_beginning(index, part)
                while part:
                    yield part
                    moved(len(part))
                    part = file.read(PART)
        except FileNotFoundError:
            raise UnreadableInput("There is no such file; -e TEXT gives a text literally.") from None
        except IsADirectoryError:
            raise UnreadableInput("This is a folder; name its files, or use tokenarium corpus.") from None
        except OSError as error:
            raise UnreadableInput(error.strerror or str(error)) from None

    def _check_beginning(self, index: int, begin: bytes) -> None:
        """Say that a file begins with a byte order mark. Raises `UnreadableInput` for UTF-16 and UTF-32."""
        try:
            check_encoding(begin)
        except ValueError as error:
            raise UnreadableInput(f"It cannot be read: {error}.") from None
        if self.is_texts and begin.startswith(BOM_UTF8):
            print_error(f"{self.names[index]}: It begins with a byte order mark, {MARK_IS_TEXT}.")

    @contextmanager
    def catch_errors(
        self, one: CommandInput, failed: Callable[[CommandInput, TokenariumError], None] | None = None
    ) -> Iterator[None]:
        """Catch the error of an input, which is printed; of its lines, only that of the first. `failed` may answer each
        line that fails."""
        try:
            yield
        except TokenariumError as error:
            self.fail(one, error.detail)
            if failed and one.line is not None:
                failed(one, error)

    def fail(self, one: CommandInput, detail: str) -> None:
        """Note that an input failed, and print why unless an earlier line of it failed."""
        self.failed[one.index] = self.failed.get(one.index, 0) + 1
        if one.line is None or self.failed[one.index] == 1:
            print_error(f"{one}: {detail}")

    def finish(self) -> None:
        """Exit with status 1 if any input failed."""
        if self.failed:
            raise SystemExit(1)

    @contextmanager
    def _progress(self) -> Iterator[Callable[[int], object]]:
        """Show a progress bar of bytes on a terminal, after the first second."""
        if not self.bar:
            yield lambda size: None
            return
        known = all(map(os.path.isfile, self.files))
        total = sum(map(os.path.getsize, self.files)) if known else None
        with load_tqdm()(total=total, unit="B", unit_scale=True, leave=False, delay=1, file=sys.__stderr__) as bar:
            yield bar.update


def load_tqdm() -> Any:
    """Return the class of progress bars, which takes a tenth of a short command to import."""
    from tqdm import tqdm

    return tqdm


def print_error(message: str) -> None:
    """Print a message on standard error, above the progress bar if there is one."""
    load_tqdm().write(printable(f"tokenarium: {message}"), file=sys.stderr)
