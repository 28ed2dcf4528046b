"""Surgery as a job: what its process is given, what it reports, and the files of its result. Imports no engine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import Invalid, NotFinished, UnknownFile, join_names
from ...jobs.job import Job
from ...jobs.spec import JobSpec
from ...registry import Registry
from ...types import TokenizerInfo
from ..train.metadata import check_title
from .options import SurgeryOptions
from .progress import SurgeryProgress

MEDIA_TYPES: Mapping[str, str] = {
    "tokenizer.json": "application/json",
    "tokenizer_config.json": "application/json",
    "chat_template.jinja": "text/plain; charset=utf-8",
    "ids.csv": "text/csv; charset=utf-8",
    "ids.json": "application/json",
    "embeddings.py": "text/x-python; charset=utf-8",
    "report.json": "application/json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurgerySpec(JobSpec):
    """What an operation is given.

    `corpus` is the name of the corpus, `name` that of the result, `owner` the address of who keeps it, if known.
    """

    tokenizer: str
    options: SurgeryOptions
    name: str = ""
    corpus: str = ""
    owner: str = ""
    process: ClassVar[str] = "surgery"


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


def result_file(job: Job, name: str) -> bytes:
    """Return a file of a finished job. Raises `UnknownFile`, and `NotFinished` before the job has finished."""
    if job.state() != "finished":
        raise NotFinished("There is nothing to download yet.")
    files = summarize_surgery(job.events())["files"]
    if name not in files:
        raise UnknownFile(f"Valid names are {join_names(files)}.")
    try:
        return (job.result() / name).read_bytes()
    except FileNotFoundError:
        raise UnknownFile("It has been removed; do the operation again.") from None
