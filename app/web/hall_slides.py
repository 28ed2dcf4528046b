"""What the stage tells a hall: the slide, the next one, and questions. All of it is bounded data, none of it HTML."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..hall.polls import Form
from ..lab.option_schema import Items

MAX_TOKENS = 600
"""Tokens of a slide that phones get."""
MAX_CELLS = 600
MAX_PIECES = 40
"""Words and tokens of a choice."""
MAX_PATHS = 40_000
"""Characters of the paths of a figure together."""
Id = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(max_length=100)]
Text = Annotated[str, Field(max_length=300)]
Tone = Annotated[int, Field(ge=0, le=8)]
"""The number of a colour of the palette (static/css/tokens.css)."""
Length = Annotated[float, Field(ge=-1e5, le=1e5, allow_inf_nan=False)]


class Told(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class ShownToken(Told):
    """A token of a slide."""

    text: str = Field(max_length=200)
    id: int | None = Field(None, ge=0, lt=2**53)
    tone: Tone | None = None
    mark: Literal["", "new", "rest"] = ""


class ShownRow(Told):
    """Tokens in a row, after a label such as ×5 and before one such as +3 more."""

    label: Name = ""
    after: Name = ""
    tokens: Items[ShownToken] = Field(max_length=MAX_TOKENS)


class ShownTableRow(Told):
    """The cells of a row; `chosen` marks what the algorithm takes, `struck` what it removes."""

    cells: Items[Text] = Field(max_length=12)
    mark: Literal["", "chosen", "struck"] = ""


class ShownTable(Told):
    """A table beside the picture."""

    title: Text = ""
    heads: Items[Name] = Field(max_length=12)
    rows: Items[ShownTableRow] = Field(max_length=60)


class ShownShape(Told):
    """A path of a figure, filled with a colour of the palette, or else drawn as a line."""

    d: str = Field(max_length=MAX_PATHS, pattern=r"^[MLHVCSQTAZmlhvcsqtaz\d\s.,e+-]*$")
    tone: Tone | None = None
    strong: bool = False


class ShownLabel(Told):
    """A text of a figure."""

    x: Length
    y: Length
    text: Name
    size: Length
    anchor: Literal["start", "middle", "end"] = "start"


class ShownFigure(Told):
    """A drawing of plain shapes."""

    box: Items[Length] = Field(min_length=4, max_length=4)
    shapes: Items[ShownShape] = Field(max_length=600)
    labels: Items[ShownLabel] = Field(max_length=300)


class Shown(Told):
    """What a slide shows. `place` is its number, as the stage says it; `more` is true where it has what phones lack.

    A text slide is its `markdown`, which phones render as the stage does (static/js/lecture/markdown.js).
    """

    title: Text
    caption: str = Field("", max_length=2000)
    place: Name = ""
    texts: Items[Annotated[str, Field(max_length=2000)]] = Field([], max_length=40)
    markdown: str = Field("", max_length=20_000)
    rows: Items[ShownRow] = Field([], max_length=40)
    tables: Items[ShownTable] = Field([], max_length=6)
    figures: Items[ShownFigure] = Field([], max_length=3)
    more: bool = False

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        sizes = {
            f"{MAX_TOKENS} tokens": sum(len(row.tokens) for row in self.rows) > MAX_TOKENS,
            f"{MAX_CELLS} cells": sum(len(row.cells) for table in self.tables for row in table.rows) > MAX_CELLS,
            f"{MAX_PATHS:,} characters of paths": sum(len(s.d) for one in self.figures for s in one.shapes) > MAX_PATHS,
        }
        if too_many := next((most for most, exceeded in sizes.items() if exceeded), ""):
            raise ValueError(f"a slide has at most {too_many}")
        return self


class SlideEvent(Shown):
    """The slide or step that is on the screen now, and the question that stands on it."""

    kind: Literal["slide"]
    at: int = Field(ge=1, le=1_000_000)
    address: str = Field(max_length=8192, pattern=r"^/([^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?$")
    question: str = Field("", max_length=200)


class NextEvent(Told):
    """What comes after the slide, and what the lecturer has noted for it; both are for the lecturer alone."""

    kind: Literal["next"]
    shown: Shown | None
    notes: str = Field(max_length=4000)


class AskedEvent(Told):
    """A question, which phones answer from now on. `pieces` are the words and tokens of each choice, or none."""

    kind: Literal["asked"]
    id: Id
    prompt: str = Field(max_length=2000)
    form: Form = "choose"
    choices: Items[Annotated[str, Field(max_length=500)]] = Field([], max_length=120)
    pieces: Items[Annotated[Items[ShownToken], Field(max_length=MAX_PIECES)]] = Field([], max_length=120)
    unit: Name = ""

    @model_validator(mode="after")
    def _check_choices(self) -> Self:
        if not self.choices and self.form not in ("type", "estimate"):
            raise ValueError("a question has choices, or is typed")
        if self.pieces and len(self.pieces) != len(self.choices):
            raise ValueError("each choice has its pieces, or none has")
        return self


class RevealedEvent(Told):
    """The right answer of a question, if there is one, and the reason."""

    kind: Literal["revealed"]
    id: Id
    right: str | None = Field(None, max_length=500)
    reason: str = Field("", max_length=4000)


StageEvent = Annotated[SlideEvent | NextEvent | AskedEvent | RevealedEvent, Field(discriminator="kind")]
