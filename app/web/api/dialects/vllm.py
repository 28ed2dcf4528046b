"""vLLM’s dialect: POST /tokenize in its two forms, POST /detokenize, GET /tokenizer_info."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Discriminator, Field, Tag

from app.web.answer import JSONResponse
from app.web.api.dialects.asked import (
    MODEL,
    UNKNOWN_LENGTH,
    Id,
    Lenient,
    Model,
    Template,
    cutter,
    example,
    read,
    written,
)
from app.web.body import StrictRoute

if TYPE_CHECKING:
    from app.lab.tokenize import Tokenization

router = APIRouter(route_class=StrictRoute, tags=["dialects"])


class Completion(Lenient):
    """vLLM’s completion form."""

    model_config = example(model="gpt-4o", prompt="Hello, 🌍!", return_token_strs=True)

    model: Model = None
    prompt: str
    add_special_tokens: Template = True
    return_token_strs: bool | None = Field(False, description="Answer with the tokens as the vocabulary writes them.")


class Chat(Lenient):
    """vLLM’s chat form: a conversation, written out by the tokenizer’s chat template or by one that is sent."""

    model_config = example(model="mistral-v3", messages=[{"role": "user", "content": "Hello!"}])

    model: Model = None
    messages: list[dict[str, Any]]
    add_generation_prompt: bool = Field(True, description="Add what begins the answer.")
    continue_final_message: bool = Field(False, description="End in the final message, to have it continued.")
    add_special_tokens: bool = Field(False, description="Add the special tokens around a text to the template’s own.")
    return_token_strs: bool | None = False
    chat_template: str | None = Field(None, description="A template in Jinja, in place of the tokenizer’s own.")
    chat_template_kwargs: dict[str, Any] | None = Field(None, description="Further variables for the template.")
    tools: list[dict[str, Any]] | None = None


class VllmTokens(Lenient):
    """Ids to read back."""

    model_config = example(model="gpt-4o", tokens=[130321, 235])

    model: Model = None
    tokens: list[Id]


def _form(value: Any) -> str:
    return "as vllm chat" if isinstance(value, dict) and "messages" in value and "prompt" not in value else "as vllm"


Form = Annotated[Annotated[Completion, Tag("as vllm")] | Annotated[Chat, Tag("as vllm chat")], Discriminator(_form)]


@router.post("/compat/vllm/tokenize", summary="Tokenize as vLLM does")
def post_tokenize(body: Form, request: Request) -> JSONResponse:
    """`count`, `tokens`, `token_strs` or null, and `max_model_len`, which is −1: unknown."""
    return JSONResponse(complete(body, request) if isinstance(body, Completion) else chat(body, request))


@router.post("/compat/vllm/detokenize", summary="Read ids back as vLLM does")
def post_detokenize(body: VllmTokens, request: Request) -> JSONResponse:
    """`prompt`, with special tokens kept."""
    return JSONResponse({"prompt": read(request, body.tokens, model=body.model)[0].text})


@router.get("/compat/vllm/tokenizer_info", summary="Describe a tokenizer as vLLM does")
@router.get("/tokenizer_info", summary="Describe a tokenizer as vLLM does")
def get_tokenizer_info(request: Request, model: Annotated[str | None, Field(description=MODEL)] = None) -> JSONResponse:
    """The class, the special tokens, and the chat template, or null where there is none."""
    from app.lab.models import resolved

    registry = request.app.state.registry
    tokenizer = registry.get(resolved(registry, model))
    info, template = tokenizer.info, registry.chat_template(tokenizer.info.id)
    added = {str(id): {"content": token, "special": True} for token, id in info.special_tokens.items()}
    told = {"tokenizer_class": type(tokenizer).__name__, "chat_template": template and template.text}
    named = dict(template.variables) if template else {}
    return JSONResponse({"name_or_path": info.id, **told, **named, "added_tokens_decoder": added})


def complete(body: Completion, request: Request) -> dict[str, Any]:
    """The answer to the completion form; special tokens spelled in the prompt are special."""
    done = cutter(request, [body.prompt], model=body.model)(body.prompt, body.add_special_tokens)
    return _answer(done, body.return_token_strs)


def chat(body: Chat, request: Request) -> dict[str, Any]:
    """The answer to the chat form: the conversation is written out, and parsed whole like a prompt.

    Raises `Invalid`, `BadTemplate`, `OverLimit`.
    """
    from app.lab.chat.conversation import Conversation
    from app.lab.models import resolved

    id = resolved(request.app.state.registry, body.model)
    sent = "add_generation_prompt" in body.model_fields_set
    conversation = Conversation(
        body.messages,
        body.tools,
        add_generation_prompt=body.add_generation_prompt and (sent or not body.continue_final_message),
        continue_final_message=body.continue_final_message,
        template=body.chat_template,
        options=body.chat_template_kwargs or {},
    )
    text = written(request, id, conversation).text
    done = cutter(request, [text], model=id, pointer="/messages")(text, body.add_special_tokens)
    return _answer(done, body.return_token_strs)


def _answer(done: "Tokenization", strings: bool | None) -> dict[str, Any]:
    from app.lab.spellings import vocabulary_forms

    return {
        "count": len(done.encoding),
        "max_model_len": UNKNOWN_LENGTH,
        "tokens": done.encoding.ids,
        "token_strs": vocabulary_forms(done) if strings else None,
    }
