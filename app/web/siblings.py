"""Siblings: the processes of `serve --workers N` leave their numbers in a folder, and any of them tells the sum."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import orjson

from app.web.exchanges import Exchange
from app.web.traffic import FAMILIES, Numbers

OFTEN = 1.0
"""Seconds between two times that a busy process leaves its numbers."""


class Siblings:
    """One process among those that share a folder. It observes exchanges, to leave its numbers soon after one."""

    def __init__(self, folder: Path, own: Callable[[], Numbers]) -> None:
        self.folder = folder
        self.own = own
        self._due = False

    def began(self) -> None:
        self._soon()

    def ended(self, exchange: Exchange) -> None:
        self._soon()

    def _soon(self) -> None:
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(OFTEN, self.leave)

    def leave(self) -> None:
        """Leave the numbers of this process, whole or not at all."""
        self._due = False
        told = {name: [[*labels, value] for labels, value in found.items()] for name, found in self.own().items()}
        new = self.folder / f"{os.getpid()}.new"
        new.write_bytes(orjson.dumps(told))
        new.replace(new.with_suffix(".json"))

    def total(self) -> Numbers:
        """The sum over all processes. Those that ended still count, but for what is true of the present only."""
        sums = self.own()
        for path in self.folder.glob("*.json"):
            process = int(path.stem)
            if process == os.getpid():
                continue
            for name, rows in orjson.loads(path.read_bytes()).items():
                if FAMILIES[name].kind != "gauge" or _lives(process):
                    for *labels, value in rows:
                        sums[name][tuple(labels)] = sums[name].get(tuple(labels), 0) + value
        return sums


def _lives(process: int) -> bool:
    if sys.platform == "win32":  # asking would end it there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
