"""vLLM’s dialect: POST /tokenize in two forms, /detokenize, /v1/chat/completions/render, GET /tokenizer_info."""

from dataclasses import replace
from typing import Annotated, Any
from uuid import uuid4

import numpy as np
from fastapi import Request
from pydantic import ConfigDict, Field

from ....lab.chat.conversation import Conversation
from ....lab.chat.templates import portable, special_roles
from ....lab.chat.warnings import may_drop, warn_left_out
from ....lab.detokenize import vocabulary_forms
from ....lab.option_schema import Items
from ....lab.request.conversions import fill_contents
from ....lab.request.parts import Basis
from ....lab.tokenize import Tokenization
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from ...services import get_services
from .common import (
    MODEL,
    UNKNOWN_LENGTH,
    Id,
    LenientModel,
    Model,
    Template,
    detokenize_lists,
    example,
    get_requested_model,
    get_requested_tokenizer,
    render_chat,
    tokenizer_for,
)
from .counting import judge_prompt
from .dialect import (
    OR_NULL,
    STATUS,
    WORD,
    Dialect,
    DialectBody,
    DialectError,
    OneOf,
    client_status,
    error_class,
    object_schema,
    parameter,
)

router = Router(tags=["dialects"])
SAMPLING = (
    *("n", "temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
    *("seed", "stop", "stop_token_ids", "max_tokens", "max_completion_tokens", "min_tokens", "ignore_eos"),
    *("bad_words", "logit_bias", "logprobs", "top_logprobs", "skip_special_tokens"),
)
"""Fields of a chat completion that say how tokens are drawn."""


class VllmCompletionRequest(LenientModel):
    """vLLM’s completion form."""

    model_config = example(model="gpt-4o", prompt="Hello, 🌍!", return_token_strs=True)

    model: Model = None
    prompt: str
    add_special_tokens: Template = True
    return_token_strs: bool | None = Field(False, description="Return the tokens as spelled in the vocabulary.")


class VllmChatRequest(LenientModel):
    """vLLM’s chat form: a conversation, rendered by the tokenizer’s chat template or by one in the request."""

    model_config = example(model="mistral-v3", messages=[{"role": "user", "content": "Hello!"}])

    model: Model = None
    messages: Items[dict[str, Any]]
    add_generation_prompt: bool = Field(True, description="Add the generation prompt, which begins the answer.")
    continue_final_message: bool = Field(False, description="End in the final message, to have it continued.")
    add_special_tokens: bool = Field(False, description="Also add BOS and EOS around the rendered text.")
    return_token_strs: bool | None = False
    chat_template: str | None = Field(None, description="A template in Jinja, in place of the tokenizer’s own.")
    chat_template_kwargs: dict[str, Any] | None = Field(None, description="Further variables for the template.")
    tools: Items[dict[str, Any]] | None = None


class VllmRenderRequest(VllmChatRequest):
    """A chat completion to be rendered for generation elsewhere; further fields are ignored, but for those of sampling.

    `SAMPLING` has the latter; they are answered as they were sent.
    """

    model_config = ConfigDict(extra="allow")

    return_token_offsets: bool | None = Field(None, description="Return the span of each token in the rendered text.")
    reasoning_effort: str | None = Field(None, description="A variable of the template, as others in the arguments.")
    documents: Items[dict[str, Any]] | None = None


class VllmDetokenizeRequest(LenientModel):
    """A request to detokenize."""

    model_config = example(model="gpt-4o", tokens=[130321, 235])

    model: Model = None
    tokens: Items[Id]


def answer_completion(body: VllmCompletionRequest, request: Request) -> dict[str, Any]:
    """Return the answer to the completion form; special tokens in the prompt are parsed."""
    tokenization = tokenizer_for(request, [body.prompt], model=body.model)(body.prompt, body.add_special_tokens)
    return _answer(tokenization, body.return_token_strs)


def answer_chat(body: VllmChatRequest, request: Request) -> dict[str, Any]:
    """Return the answer to the chat form: the conversation is rendered, and then tokenized like a prompt.

    Raises `Invalid`, `BadTemplate`, `OverLimit`.
    """
    tokenization, basis = tokenize_chat(body, request)
    return _answer(tokenization, body.return_token_strs) | {"basis": basis}


def tokenize_chat(body: VllmChatRequest, request: Request, **options: Any) -> tuple[Tokenization, Basis]:
    """Return the tokens of a conversation, and how they are known to be those of its model.

    `options` are variables of the template beside those of the body.
    """
    id = get_requested_tokenizer(request, body.model)
    sent = "add_generation_prompt" in body.model_fields_set
    conversation = Conversation(
        fill_contents(body.messages),
        body.tools,
        add_generation_prompt=body.add_generation_prompt and (sent or not body.continue_final_message),
        continue_final_message=body.continue_final_message,
        template=body.chat_template,
        model=get_requested_model(request, body.model),
        options={**options, **(body.chat_template_kwargs or {})},
    )
    rendering = render_chat(request, id, conversation)
    tokenize = tokenizer_for(request, [rendering.text], model=id, pointer="/messages")
    tokenization = tokenize(rendering.text, body.add_special_tokens)
    dropped = warn_left_out(rendering.written, conversation) if may_drop(conversation) else ()
    basis, notes = judge_prompt(request, id, conversation)
    notes += [warning.detail for warning in dropped]
    return replace(tokenization, notes=(*tokenization.notes, *notes)), basis


def _answer(tokenization: "Tokenization", strings: bool | None) -> dict[str, Any]:
    return {
        "count": len(tokenization.encoding),
        "max_model_len": UNKNOWN_LENGTH,
        "tokens": tokenization.encoding.ids,
        "token_strs": vocabulary_forms(tokenization) if strings else None,
    } | ({"notes": tokenization.notes} if tokenization.notes else {})


def format_error(problem: Problem) -> DialectError:
    """Return the status and the error of vLLM for a problem."""
    status = client_status(problem)
    error = {"message": problem.detail, "type": error_class(status), "param": parameter(problem), "code": status}
    return status, {"error": error}


ERROR_MEMBERS = {"message": WORD, "type": WORD, "param": OR_NULL, "code": STATUS}
VLLM = Dialect(
    "vllm",
    format_error,
    object_schema(error=object_schema(**ERROR_MEMBERS)),
    bodies=(
        DialectBody(
            VllmCompletionRequest,
            recognize=lambda sent: "prompt" in sent and not isinstance(sent["prompt"], list),
            answer=answer_completion,
        ),
        DialectBody(
            VllmChatRequest, recognize=lambda sent: "messages" in sent and "prompt" not in sent, answer=answer_chat
        ),
    ),
)
POLICY = RoutePolicy(run="inline", cors=True, dialect=VLLM)
TokenizeBody = Annotated[
    VllmCompletionRequest | VllmChatRequest,
    OneOf((VllmCompletionRequest, VllmChatRequest), VLLM.choose_model),
]


@router.post("/compat/vllm/tokenize", summary="Tokenize as vLLM does")
@POLICY
def post_tokenize(body: TokenizeBody, request: Request) -> JSONResponse:
    """`count`, `tokens`, `token_strs` or null, and `max_model_len`, which is −1: unknown. Beside what vLLM answers
    for messages, `basis` says how the count is known: `exact`, by the `template` of another model or of the request, or
    `unknown` with pictures; and `notes` whose template it is, and what it drops."""
    return JSONResponse(VLLM.answer(body, request))


@router.post("/compat/vllm/v1/chat/completions/render", summary="Render a chat completion as vLLM does")
@router.post("/v1/chat/completions/render", summary="Render a chat completion as vLLM does")
@POLICY
def post_render(body: VllmRenderRequest, request: Request) -> JSONResponse:
    """The prompt that a chat completion becomes, as `token_ids`, in the form of a request for tokens: with the
    `token_offsets` in code points of the rendered text on request, and with the parameters of sampling as they were
    sent, as a server here has no defaults of its own. `features` is null: pictures are not processed."""
    variables = {"reasoning_effort": body.reasoning_effort, "documents": body.documents}
    tokens, _ = tokenize_chat(body, request, **{key: value for key, value in variables.items() if value is not None})
    encoding = tokens.encoding
    offsets = np.stack([encoding.char_starts, encoding.char_ends], axis=1) if body.return_token_offsets else None
    answer = {
        "request_id": f"chatcmpl-{uuid4().hex}",
        "token_ids": encoding.ids,
        "token_offsets": offsets,
        "features": None,
        "sampling_params": {key: value for key, value in (body.model_extra or {}).items() if key in SAMPLING},
        "model": get_requested_model(request, body.model),
        "stream": False,
        "priority": 0,
    }
    return JSONResponse(answer)


@router.post("/compat/vllm/detokenize", summary="Detokenize as vLLM does")
@POLICY
def post_detokenize(body: VllmDetokenizeRequest, request: Request) -> JSONResponse:
    """`prompt`, including special tokens."""
    return JSONResponse({"prompt": detokenize_lists(request, body.tokens, model=body.model)[0].text})


@router.get("/compat/vllm/tokenizer_info", summary="Describe a tokenizer as vLLM does")
@router.get("/tokenizer_info", summary="Describe a tokenizer as vLLM does")
@POLICY
def get_tokenizer_info(request: Request, model: Annotated[str | None, Field(description=MODEL)] = None) -> JSONResponse:
    """The class, the special tokens, and the chat template, or null where there is none, which also renders where an
    undefined variable is an error; `eos_token`, `bos_token`,
    `pad_token` and `unk_token` where the tokenizer has them."""
    registry = get_services(request).registry
    tokenizer = registry.get(get_requested_tokenizer(request, model))
    info = tokenizer.info
    template = registry.chat_template(tokenizer.info.id)
    added = {str(id): {"content": token, "special": True} for token, id in info.special_tokens.items()}
    answer = {"tokenizer_class": type(tokenizer).__name__, "chat_template": template and portable(template)}
    variables = dict(template.variables) if template else {}
    variables |= special_roles(info, template)
    return JSONResponse({"name_or_path": info.id, **answer, **variables, "added_tokens_decoder": added})
