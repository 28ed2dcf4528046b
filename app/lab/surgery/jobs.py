"""Surgery as a job: what its process is given, what it reports, how much is done, and its result. Imports no engine."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from ...errors import Invalid, NotFinished, UnknownFile, join_names
from ...jobs.events import JobProgress, Throttle
from ...jobs.job import Job
from ...jobs.process import JobSpec
from ...registry import Registry
from ...types import TokenizerInfo
from ..train.metadata import check_title
from .options import SurgeryOptions

ARCHIVE = "surgery.zip"
"""All files of a result together, which the job writes."""
Report = Callable[[Mapping[str, Any]], None]
LOADING = "Loading the tokenizer"
READING = "Reading the corpus"
SCRIPTS = "Reading the vocabulary"
PRUNING = "Pruning"
LEARNING = "Learning merges"
RELOADING = "Loading the new tokenizer"
CHECKING = "Checking that nothing is lost"
PROVING = "Comparing the engines on generated texts"
MEASURING = "Measuring"
PACE = (0.2, 10.0)
"""How many times as long as expected a step takes, at least and at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurgerySpec(JobSpec):
    """What an operation is given.

    `corpus` is the name of the corpus, `name` that of the result, which `owner` keeps.
    """

    tokenizer: str
    options: SurgeryOptions
    name: str = ""
    corpus: str = ""
    process: ClassVar[str] = "surgery"


def expect_seconds(options: SurgeryOptions, *, tokens: int, characters: int, converted: bool) -> dict[str, float]:
    """Return the steps of an operation in order, each with the seconds that it takes on an idle machine, about.

    >>> [*expect_seconds(SurgeryOptions(operation="tokens"), tokens=50_000, characters=0, converted=False)][:2]
    ['Loading the tokenizer', 'Loading the new tokenizer']
    """
    steps = {LOADING: 0.2 + tokens / 25_000 + converted}
    if options.operation == "extend":
        steps |= {READING: characters / 500_000, LEARNING: 0.1 + options.tokens / 2_000 + characters / 1_000_000}
    elif options.operation == "prune":
        reading = {SCRIPTS: tokens / 50_000} if options.by == "scripts" else {READING: characters / 250_000}
        steps |= {**reading, PRUNING: 0.1 + tokens / 25_000}
    steps |= {RELOADING: 0.2 + tokens / 50_000, CHECKING: 0.3 + characters / 200_000}
    return {**steps, PROVING: options.proof / 1_000, MEASURING: 0.1 + tokens / 500_000}


class ProgressReporter:
    """Reports what is done, at most ten times a second how much of it, and each step that has ended.

    `plan` has the steps in order, each with the seconds that it is expected to take. The steps that have ended say how
    much slower this machine is, so that the seconds left are known from the first step on.
    """

    def __init__(self, report: Report, plan: Mapping[str, float] | None = None) -> None:
        self._report = report
        self._plan = dict(plan or {})
        self._what = ""
        self._result = ""
        self._begun = monotonic()
        self._expected = self._took = 0.0
        self._throttle = Throttle()

    def start(self, what: str) -> None:
        """End the step before, and begin another."""
        self.end()
        self._what = what
        self._begun = monotonic()
        self._tell(None)

    def update(self, number: int, of: int) -> None:
        """Report how much of a step is done."""
        if self._throttle.is_due():
            self._tell(min(1.0, number / of) if of else None)

    def note(self, result: str) -> None:
        """Remember the result of this step, for its end."""
        self._result = result

    def end(self) -> None:
        """Report the end of the step, with its result and its seconds."""
        if self._what:
            seconds = monotonic() - self._begun
            self._expected += self._plan.pop(self._what, 0.0)
            self._took += seconds
            self._report({"kind": "step", "what": self._what, "result": self._result, "seconds": round(seconds, 1)})
        self._what = self._result = ""

    def _tell(self, share: float | None) -> None:
        left = round(self._estimate_left(share), 1) if self._plan else None
        self._report({"kind": "doing", "what": self._what, "share": share, "left": left})

    def _estimate_left(self, share: float | None) -> float:
        """Return the seconds that this step and those after it take."""
        pace = min(max(self._took / self._expected, PACE[0]), PACE[1]) if self._expected else 1.0
        elapsed = monotonic() - self._begun
        after = sum(seconds for what, seconds in self._plan.items() if what != self._what)
        here = max(0.0, self._plan.get(self._what, 0.0) * pace - elapsed)
        if share and elapsed > 1:
            here = elapsed * (1 - share) / share
        return here + after * pace


@dataclass(slots=True)
class SurgeryProgress(JobProgress):
    """The state of an operation: beside what it does, the seconds left, if known, and the steps that have ended."""

    left: float | None = None
    steps: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, event: Mapping[str, Any]) -> None:
        """Update the state by one event.

        >>> doing = {"kind": "doing", "what": "Pruning", "share": 0.5, "left": 3.5}
        >>> SurgeryProgress.from_events([{"kind": "step", "what": "Loading", "seconds": 1.2}, doing]).left
        3.5
        """
        JobProgress.add(self, event)  # a dataclass with slots has no super()
        if event["kind"] == "step":
            self.steps.append({name: value for name, value in event.items() if name != "kind"})
        self.left = event.get("left") if event["kind"] == "doing" else self.left


def check_tokenizer(info: TokenizerInfo, options: SurgeryOptions) -> None:
    """Raise `Invalid` for a tokenizer that has no model on which an operation can be done."""
    if info.family not in ("bpe", "unigram", "wordpiece") or info.grows:
        detail = f"{info.title} has no vocabulary of BPE, Unigram or WordPiece, which a tokenizer.json could hold."
        raise Invalid(detail, pointer="/tokenizer")
    if options.operation == "extend" and info.family != "bpe":
        detail = (
            f"Only BPE goes on learning merges, and {info.title} is {info.family}: a new token would change how other "
            "words are divided, and needs a score that only training gives."
        )
        raise Invalid(detail, pointer="/tokenizer")


def free_name(registry: Registry, name: str) -> str:
    """Return a name on one line. Raises `Invalid` if it is too long, or taken by a tokenizer of this server."""
    title = check_title(name)
    if any(title.casefold() in (info.id.casefold(), info.title.casefold()) for info in registry.infos()):
        raise Invalid(f"The name {title[:40]!r} is taken; choose another one.", pointer="/name")
    return title


def summarize_surgery(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the state of a job as plain data: what it does, how much is left, and the report or problem.

    `share` is that of the step that is done, `left` the seconds to the end, about; `steps` have ended.

    >>> summarize_surgery([{"kind": "doing", "what": "Pruning", "share": 0.5}])["share"]
    0.5
    """
    progress = SurgeryProgress.from_events(events)
    empty: dict[str, Any] = {"tokenizer": "", "title": "", "name": "", "options": None, "corpus": ""}
    empty |= {"report": None, "kept": None, "files": {}}
    told = {**empty, **progress.started, **progress.result}
    state = {name: told[name] for name in empty}
    problem = progress.problem and {"pointer": None, **progress.problem}
    doing = {"doing": progress.doing, "share": progress.share, "left": progress.left, "steps": progress.steps}
    return state | doing | {"problem": problem}


def result_file(job: Job, name: str) -> Path:
    """Return where a file of a finished job is. Raises `UnknownFile`, and `NotFinished` before the job has finished."""
    if job.state() != "finished":
        raise NotFinished("There is nothing to download yet.")
    files = [*summarize_surgery(job.events())["files"], ARCHIVE]
    if name not in files:
        raise UnknownFile(f"Valid names are {join_names(files)}.")
    path = job.result() / name
    if not path.is_file():
        raise UnknownFile("It has been removed; do the operation again.")
    return path
