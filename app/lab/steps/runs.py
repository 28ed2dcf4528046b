"""Runs through an algorithm, step by step, as options say: the last few, a step as the page shows it, and sheets."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ... import __version__
from ...errors import plural
from ...registry import Registry
from ..caches import LRUCache, hash_text
from ..charts import Scale, draw_polyline
from ..option_schema import validate
from ..sheets.sheet import Sheet
from .drawing import Drawing, lattice, tree
from .encoding import encode
from .learning import learn
from .options import StepsOptions
from .regions import MAX_MEASURED, Regions, choose_regions, draw
from .step import Boundary, Run, Step
from .tiles import character_row

WINDOW = 32
"""Number of steps that a browser fetches per request."""
MAX_SHEETS = 200
"""Steps of a file that has all of them."""
MAX_CHARACTERS = 600
"""Characters of a text that its sheet shows; more are counted."""


def follow(registry: Registry, options: StepsOptions) -> Run:
    """Run an algorithm and record its steps. Raises `Invalid` for an option, and what training and encoding raise."""
    validate(options)
    if options.branch == "encode":
        return encode(
            registry,
            options.text,
            tokenizer=options.tokenizer,
            special="parse" if options.special else "text",
            temperature=options.temperature,
            seed=options.seed,
        )
    return learn(
        options.text,
        algorithm=options.algorithm,
        unit=options.unit,
        pattern=options.pattern,
        ties=options.ties,
        merges=options.merges,
        table=options.table,
    )


class RunCache:
    """The last few runs, so that the next window of steps is not computed from the beginning."""

    def __init__(self, *, entries: int = 16) -> None:
        self._runs = LRUCache[Run](entries=entries, max_bytes=entries, size=lambda run: 1)

    def forget(self, tokenizer: str) -> None:
        """Drop the encodings of a tokenizer: each would keep the whole tokenizer in memory."""
        self._runs.discard(lambda run: run.tokenizer == tokenizer)

    def follow(self, registry: Registry, options: StepsOptions) -> tuple[str, Run]:
        """Like the function `follow`; also returns the key of the run."""
        key = hash_text(options.text, *map(repr, options.model_dump(exclude={"text"}).values()))
        return key, self._runs.get_or_create(key, lambda: follow(registry, options))


@dataclass(frozen=True)
class StepsView:
    """A run, its cache key and the requested step; a step beyond the last one shows the last one."""

    key: str
    run: Run
    requested_step: int = 0
    options: StepsOptions | None = None

    @property
    def number(self) -> int:
        """Number of the step on display."""
        return min(self.requested_step, self.run.total - 1)

    @cached_property
    def step(self) -> Step:
        """The step on display."""
        return next(self.run.steps(self.number, self.number + 1))

    @cached_property
    def regions(self) -> Regions:
        """The regions of all steps."""
        return choose_regions(self.run.steps(0, MAX_MEASURED))

    @property
    def window(self) -> Iterator[Step]:
        """The next `WINDOW` steps, beginning with the one on display."""
        return self.run.steps(self.number, self.number + WINDOW)

    @property
    def tall_trees(self) -> Drawing | None:
        """The merge trees of the step on display if its picture has no room for them."""
        trees = self.run.trees(self.number)
        return None if draw(self.step, self.regions, trees) else tree(trees, step=self.number)

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """Reasons for the boundaries of the pre-token on stage, once all its tokens are made."""
        made = all((node.step or 0) <= self.number for node in self.run.trees(self.number))
        return self.run.boundaries(self.number) if made else ()

    @property
    def across(self) -> float:
        """Horizontal position of the step in the chart, from 0 to 1000."""
        return 1000 * self.number / max(1, self.run.total - 1)

    @property
    def sheet(self) -> Sheet:
        """The step as a sheet to be saved."""
        return step_sheet(self.run, self.step, text=self._text)

    @property
    def sheets(self) -> Iterator[Sheet]:
        """All steps as sheets."""
        return all_sheets(self.run, text=self._text)

    @property
    def _text(self) -> str:
        return self.options.text if self.options else ""

    @property
    def chart(self) -> str:
        """Corpus length per step as the points of an SVG polyline, 1000 wide and 100 high. Empty without a chart."""
        lengths = self.run.chart
        if len(lengths) < 2:
            return ""
        across = Scale(0, len(lengths) - 1, 0, 1000)
        down = Scale(-max(lengths), -min(lengths), 4, 96)
        return draw_polyline((across.place(at), down.place(-length)) for at, length in enumerate(lengths))


def step_sheet(run: Run, step: Step, *, text: str = "") -> Sheet:
    """Return a step as a sheet, the first one with more of the text than the page shows."""
    rows = step.rows
    if text and step.stage == "text":
        rows = (character_row(text, limit=MAX_CHARACTERS),)
    shown = len(step.learned)
    newest = f"{step.learned_count:,} learned, the newest last" if step.learned_count > shown else "Learned"
    return Sheet(
        title=f"{run.title}: step {step.number:,} of {run.total - 1:,}",
        caption=step.sentence,
        rows=rows,
        rows_left_out=step.rows_left_out,
        around=step.around,
        figure=lattice(step.lattice) if step.lattice else None,
        table=step.table,
        facts=step.facts,
        learned=step.learned,
        learned_text=newest,
        chart=run.chart,
        at=step.number,
        source=f"Made with Tokenarium {__version__}",
    )


def all_sheets(run: Run, *, text: str = "") -> Iterator[Sheet]:
    """Yield the steps of a run as sheets; the last one of a long run says how many are left out."""
    for step in run.steps(0, min(run.total, MAX_SHEETS)):
        sheet = step_sheet(run, step, text=text)
        if step.number == MAX_SHEETS - 1 and run.total > MAX_SHEETS:
            more = plural(run.total - MAX_SHEETS, "step that follows is", "steps that follow are")
            sheet = replace(sheet, source=f"{sheet.source}. {more} left out.")
        yield sheet
