"""vLLM’s dialect: POST /tokenize in its two forms, POST /detokenize, GET /tokenizer_info."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Discriminator, Field, Tag

from app.errors import Invalid
from app.web.answer import JSONResponse
from app.web.api.dialects.asked import MODEL, Id, Lenient, Model, Template, cutter, example, read
from app.web.body import StrictRoute

router = APIRouter(prefix="/compat/vllm", route_class=StrictRoute, tags=["dialects"])


class Completion(Lenient):
    """vLLM’s completion form."""

    model_config = example(model="gpt-4o", prompt="Hello, 🌍!", return_token_strs=True)

    model: Model = None
    prompt: str
    add_special_tokens: Template = True
    return_token_strs: bool | None = Field(False, description="Answer with the tokens as the vocabulary writes them.")


class Chat(Lenient):
    """vLLM’s chat form, which takes a chat template."""

    model_config = example(model="mistral-v3", messages=[{"role": "user", "content": "Hello!"}])

    model: Model = None
    messages: list[dict[str, Any]]
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    add_special_tokens: bool = False
    return_token_strs: bool | None = False
    chat_template: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    tools: list[dict[str, Any]] | None = None


class VllmTokens(Lenient):
    """Ids to read back."""

    model_config = example(model="gpt-4o", tokens=[130321, 235])

    model: Model = None
    tokens: list[Id]


def _form(value: Any) -> str:
    return "as vllm chat" if isinstance(value, dict) and "messages" in value and "prompt" not in value else "as vllm"


Form = Annotated[Annotated[Completion, Tag("as vllm")] | Annotated[Chat, Tag("as vllm chat")], Discriminator(_form)]


@router.post("/tokenize", summary="Tokenize as vLLM does")
def post_tokenize(body: Form, request: Request) -> JSONResponse:
    """`count`, `tokens`, `token_strs` or null, and `max_model_len`: null, since vocabularies know none."""
    return JSONResponse(complete(body, request) if isinstance(body, Completion) else chat(body, request))


@router.post("/detokenize", summary="Read ids back as vLLM does")
def post_detokenize(body: VllmTokens, request: Request) -> JSONResponse:
    """`prompt`, with special tokens kept."""
    return JSONResponse({"prompt": read(request, body.tokens, model=body.model)[0].text})


@router.get("/tokenizer_info", summary="Describe a tokenizer as vLLM does")
def get_tokenizer_info(request: Request, model: Annotated[str | None, Field(description=MODEL)] = None) -> JSONResponse:
    """The class, the special tokens, and a null where a chat template would be."""
    from app.lab.models import resolved

    registry = request.app.state.registry
    tokenizer = registry.get(resolved(registry, model))
    added = {str(id): {"content": token, "special": True} for token, id in tokenizer.info.special_tokens.items()}
    told = {"tokenizer_class": type(tokenizer).__name__, "chat_template": None, "added_tokens_decoder": added}
    return JSONResponse({"name_or_path": tokenizer.info.id, **told})


def complete(body: Completion, request: Request, *, max_model_len: int | None = None) -> dict[str, Any]:
    """The answer to the completion form; special tokens spelled in the prompt are special."""
    from app.lab.spellings import vocabulary_forms

    done = cutter(request, [body.prompt], model=body.model)(body.prompt, body.add_special_tokens)
    return {
        "count": len(done.encoding),
        "max_model_len": max_model_len,
        "tokens": done.encoding.ids,
        "token_strs": vocabulary_forms(done) if body.return_token_strs else None,
    }


def chat(body: Chat, request: Request) -> dict[str, Any]:
    """Raises `Invalid`: no tokenizer here comes with a chat template, and a template that is sent is not run."""
    cutter(request, [], model=body.model)
    if body.continue_final_message and body.add_generation_prompt and "add_generation_prompt" in body.model_fields_set:
        raise Invalid("continue_final_message and add_generation_prompt exclude each other.", pointer="/messages")
    raise Invalid("The tokenizer of this model has no chat template here. Send a prompt.", pointer="/messages")
