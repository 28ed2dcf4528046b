"""GET /compare/vocabularies: two vocabularies side by side."""

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import Invalid, TokenariumError, TooLarge
from ...lab.option_schema import Options, declare, with_values
from ...lab.two_vocabularies.view import MAX_TEXT, TwoView, compare_vocabularies
from ...lab.vocabulary.search import RecentVocabularies
from ..forms import read_query
from ..page_params import read_params, write_address
from ..picker import picker_rows, tokenizer_id
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
PAIRS = (
    ("cl100k_base", "qwen3", "GPT-4 and Qwen 3", "98,900 merges of the one, in their order, without its numbers"),
    ("o200k_base", "cl100k_base", "GPT-4o and GPT-4", "twice the tokens: for which scripts?"),
    ("mistral-v1", "mistral-v3", "Mistral v1 and v3", "the same merges, all ids moved by 768"),
    ("r50k_base", "p50k_base", "GPT-3 and Codex", "24 tokens of white space more"),
    ("gpt2", "whisper", "GPT-2 and Whisper", "one size, two corpora"),
    ("gpt-neox", "modernbert", "GPT-NeoX and ModernBERT", "the same merges, other special tokens"),
    ("gemma4", "o200k_base", "Gemma 4 and GPT-4o", "two families"),
)
"""Comparisons to begin with: both ids, title, what one sees."""


class TwoVocabulariesParams(Options):
    """Parameters of the page, with the defaults of a first visit."""

    a: str = declare("First", "cl100k_base")
    b: str = declare("Second", "qwen3")
    script: str = declare("Script", "")
    text: str = declare("Text", "")

    def link(self, **changes: str) -> str:
        """Return the address of the page with some parameters changed."""
        return write_address("", with_values(self, **changes), always=("a", "b"))


@router.get("/compare/vocabularies")
def page(request: Request) -> HTMLResponse:
    params = read_params(read_query(request), TwoVocabulariesParams)
    params = with_values(params, a=tokenizer_id(request, params.a), b=tokenizer_id(request, params.b))
    shown: TwoView | None = None
    error: TokenariumError | None = None
    services = get_services(request)
    registry = services.registry
    recent = services.cache(RecentVocabularies)
    store = services.settings.store
    try:
        shown = compare_vocabularies(
            registry, recent, store, params.a, params.b, text=params.text, script=params.script
        )
    except (Invalid, TooLarge) as refused:
        error = refused
    context: dict[str, Any] = {"params": params, "shown": shown, "error": error, "pairs": PAIRS, "max_text": MAX_TEXT}
    context |= picker_rows(request, [params.a, params.b])
    return render(request, "two_vocabularies", context, status=error.status if error else 200)
