"""What a training is given: the corpus, the options and a name."""

from dataclasses import dataclass
from typing import ClassVar

from ...jobs.spec import JobSpec
from .options import TrainingOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSpec(JobSpec):
    """What a training is given. `corpus` is the name of the corpus, `name` that of the result."""

    options: TrainingOptions
    name: str = ""
    corpus: str = ""
    process: ClassVar[str] = "train"
