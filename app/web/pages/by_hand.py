"""GET and POST /learn/by-hand: BPE by hand, a page of the course. The state is in the address."""

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import Invalid
from ...lab.learn.by_hand import HandGame, HandOptions, play
from ...lab.learn.chapters import find_page
from ...lab.learn.prose import SOURCES
from ...lab.option_schema import get_option_fields, with_values
from ...serialize.problem import Problem
from ..forms import AskedForm
from ..page_params import read_params, write_address
from ..render import render
from ..routing import Router

router = Router(include_in_schema=False)
ADDRESS = "/learn/by-hand"
ACTIONS = ("", "merge", "machine", "ask", "undo", "restart")
EXAMPLES = {
    "Many th": HandOptions(),
    "Beat the machine": HandOptions(text="a banana and a bandana in a cabana", goal=15),
    "Sennrich’s words": HandOptions(text="low low low low low lower lower newest newest newest newest newest newest"),
    "No pair twice": HandOptions(text="the quick dog"),
}
"""Texts to begin with; in the second, other merges than the most frequent ones end with fewer tokens."""


def act(options: HandOptions, action: str) -> HandOptions:
    """Return the state after a button. Raises what `play` raises."""
    if action == "restart":
        return with_values(options, merges=[], pair="")
    if action == "undo":
        return with_values(options, merges=options.merges[:-1], pair="")
    game = play(options)
    merge = game.chosen if action == "merge" else game.advice
    if merge is None or game.full:
        return options
    spelled = " ".join(merge.pair)
    if action == "ask":
        return with_values(options, pair=spelled)
    return with_values(options, merges=[*game.merges, spelled], pair="")


@router.post(ADDRESS)
@router.get(ADDRESS)
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page; an error is part of it, so that nothing that was typed is lost."""
    options = read_params(form, HandOptions, posted=request.method == "POST")
    options = with_values(options, pair=form.get("pair") or form.get("chosen"))
    action = form.get_choice("do", ACTIONS, "")
    game: HandGame | None = None
    problem = None
    try:
        if action:
            options = act(options, action)
        game = play(options)
        options = with_values(options, merges=game.merges)
    except Invalid as error:
        problem = Problem.of(error)
    chapter, place = find_page(ADDRESS)
    context: dict[str, Any] = {
        "game": game,
        "problem": problem,
        "options": options,
        "asked": action == "ask",
        "fields": get_option_fields(HandOptions),
        "address": write_address(ADDRESS, options, always=("text",)),
        "examples": {name: write_address(ADDRESS, one, always=("text",)) for name, one in EXAMPLES.items()},
        "chapter": chapter,
        "page": place,
        "source": SOURCES["sennrich-2016"],
    }
    return render(request, "learn", context, page="by_hand", status=problem.status if problem else 200)
