"""GET /learn/at-scale: what the learners of BPE do on a megabyte of text, and what comes of it."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ...lab.learn import at_scale
from ...lab.learn.chapters import find_page
from ...lab.learn.scaling import tabulate_uses
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
ADDRESS = "/learn/at-scale"


@router.get(ADDRESS)
def page(request: Request) -> HTMLResponse:
    store = get_services(request).settings.store
    book, figures = at_scale.learn_book(store), at_scale.load_figures(store)
    chapter, place = find_page(ADDRESS)
    context = {
        "chapter": chapter,
        "page": place,
        "book": book,
        "figures": figures,
        "own_use": book.uses[-1],
        "last": figures.work[-1],
        "seconds": {name: at_scale.estimate_seconds(figures, name) for name in ("text", "table")},
        "pairs": at_scale.draw_pairs(figures),
        "times": at_scale.draw_seconds(figures),
        "compression": at_scale.draw_compression(book),
        "rows": at_scale.draw_rows(book),
        "own": tabulate_uses(book.uses, book.byte_length, "Vocabularies learned from this book"),
        "others": tabulate_uses(figures.uses, book.byte_length, "Larger vocabularies, for this book"),
    }
    return render(request, "learn", context, page="at_scale")
