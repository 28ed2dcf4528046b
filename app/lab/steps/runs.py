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
from .choosing import MAX_MEASURED, choose_regions
from .drawing import Drawing, tree
from .encoding import encode
from .learning import learn
from .options import StepsOptions
from .regions import Regions, draw
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
    return learn(options)


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
        return self._make_sheet(self.step)

    @property
    def sheets(self) -> Iterator[Sheet]:
        """All steps as sheets; the last one of a long run says how many are left out."""
        more = self.run.total - MAX_SHEETS
        for step in self.run.steps(0, MAX_SHEETS):
            sheet = self._make_sheet(step)
            if more > 0 and step.number == MAX_SHEETS - 1:
                left_out = plural(more, "step that follows is", "steps that follow are")
                sheet = replace(sheet, source=f"{sheet.source}. {left_out} left out.")
            yield sheet

    def _make_sheet(self, step: Step) -> Sheet:
        """Return a step as a sheet, the first one with more of the text than the page shows."""
        run = self.run
        if self.options and step.stage == "text":
            step = replace(step, rows=(character_row(self.options.text, limit=MAX_CHARACTERS),))
        return Sheet(
            title=run.title,
            step=step,
            regions=self.regions,
            number=step.number,
            total=run.total,
            trees=run.trees(step.number),
            chart=run.chart,
            source=f"Made with Tokenarium {__version__}",
        )

    @property
    def chart(self) -> str:
        """Corpus length per step as the points of an SVG polyline, 1000 wide and 100 high. Empty without a chart."""
        lengths = self.run.chart
        if len(lengths) < 2:
            return ""
        across = Scale(0, len(lengths) - 1, 0, 1000)
        down = Scale(-max(lengths), -min(lengths), 4, 96)
        return draw_polyline((across.place(at), down.place(-length)) for at, length in enumerate(lengths))
