"""What each component of a pipeline does and what its parameters mean; the texts are in a TOML file of the page."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...settings import ROOT

FILE = ROOT / "templates/pipeline/components.toml"


@dataclass(frozen=True, slots=True)
class ComponentDocs:
    """What a component does; its parameters with their meanings; a text and what the component makes of it, or none."""

    about: str
    parameters: Mapping[str, str]
    example: tuple[str, Sequence[str]] | None


@cache
def _read_texts() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def component_docs(stage: str, type: str, names: Sequence[str]) -> ComponentDocs:
    """Return the documentation of a component of a stage, with those of its parameters that have these names.

    >>> component_docs("decoder", "Strip", ["content", "start"]).parameters
    {'content': 'The character to remove.', 'start': 'At most so many at the beginning.'}

    Of a component without a text, it is empty.
    """
    texts = _read_texts()
    one = texts[stage].get(type, {})
    known = {**texts["parameters"], **one.get("parameters", {})}
    example = one.get("example")
    return ComponentDocs(
        about=one.get("about", ""),
        parameters={name: known[name] for name in names if name in known},
        example=(example[0], example[1:]) if example else None,
    )


def example_parameters(stage: str, type: str) -> Mapping[str, Any]:
    """Return the parameters of an example that are not those of a component that a form adds."""
    parameters: Mapping[str, Any] = _read_texts()[stage].get(type, {}).get("with", {})
    return parameters
