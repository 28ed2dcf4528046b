"""A request in the format of Chat Completions, the one format in which prompts are counted here.

Nothing is lost: a part of a content that is no text keeps its type, and `uncounted` names what else changes the prompt
and has no place in a chat, so that counting says that it is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .recognition import ApiFormat
from .values import compact_json, join_parts, mapping, objects, text_of

Json = Mapping[str, Any]
TEXTS = ("text", "input_text", "output_text")
ELSEWHERE: Mapping[ApiFormat, tuple[str, ...]] = {
    "chat": ("web_search_options",),
    "responses": ("previous_response_id", "conversation", "prompt"),
    "anthropic": ("mcp_servers", "container"),
    "gemini": ("cachedContent", "cached_content"),
}
"""Keys of a body for what the vendor adds to the prompt, which the request does not hold."""


def to_chat(body: Json, format: ApiFormat) -> Json:
    """Return a body in the format of Chat Completions.

    >>> to_chat({"model": "gpt-5", "instructions": "Be brief.", "input": "Hi"}, "responses")["messages"]
    [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hi'}]
    """
    other = {"responses": _from_responses, "anthropic": _from_anthropic, "gemini": _from_gemini}
    chat = other.get(format, _complete)(body)
    return {**chat, "uncounted": [*chat["uncounted"], *(key for key in ELSEWHERE[format] if body.get(key))]}


def _complete(body: Json) -> dict[str, Any]:
    """Return a chat with what it calls of tools that are no functions of the client as not counted."""
    tools = objects(body.get("tools"))
    known = [tool for tool in tools if mapping(tool.get("function")) or tool.get("type", "custom") == "custom"]
    chat = {**body, "messages": fill_contents(objects(body.get("messages"))), "uncounted": _name_others(tools, known)}
    return chat | ({"tools": known} if "tools" in body else {})


def fill_contents(messages: Sequence[Json]) -> list[Json]:
    """Return messages of which those with calls and nothing beside them have an empty text, as vLLM gives templates.

    OpenAI's have null there, which some templates join to texts.

    >>> fill_contents([{"role": "user", "content": None}, {"role": "assistant", "content": None, "tool_calls": [{}]}])
    [{'role': 'user', 'content': None}, {'role': 'assistant', 'content': '', 'tool_calls': [{}]}]
    """
    return [{**one, "content": ""} if one.get("tool_calls") and one.get("content") is None else one for one in messages]


def _chat(body: Json, messages: list[Json], tools: list[Json], schema: Any) -> dict[str, Any]:
    """Return a chat of messages and definitions, of which those that are no functions of the client are left out."""
    functions = [tool for tool in tools if tool.get("type", "custom") in ("function", "custom") and _is_named(tool)]
    chat = {"model": body.get("model"), "messages": messages, "uncounted": _name_others(tools, functions)}
    chat |= {key: body[key] for key in ("tool_choice", "chat_template_kwargs", "generationConfig") if body.get(key)}
    chat |= {"tools": [_make_tool(tool) for tool in functions]} if functions else {}
    return chat | ({"response_format": {"json_schema": {"schema": schema}}} if schema else {})


def _is_named(tool: Json) -> bool:
    return isinstance(either(mapping(tool.get("function")), "name") or tool.get("name"), str)


def _name_others(tools: list[Json], known: list[Json]) -> list[str]:
    return [text_of(tool.get("type"))[:40] or "unnamed tool" for tool in tools if tool not in known]


def _make_tool(tool: Json) -> dict[str, Any]:
    """Return the definition of a function as Chat Completions have it, in which form some clients send it anyway."""
    if mapping(tool.get("function")):
        return {"type": "function", "function": tool["function"]}
    known = {key: tool[key] for key in ("name", "description") if tool.get(key) is not None}
    schema = either(tool, "input_schema", "parameters", "parametersJsonSchema")
    return {"type": "function", "function": known | ({} if schema is None else {"parameters": schema})}


def _unwrap(parts: list[Json]) -> Any:
    """Return the only text of a content as it is, and other contents as parts."""
    return parts[0].get("text") if len(parts) == 1 and parts[0].get("type") == "text" else parts or ""


def _call(id: Any, name: Any, arguments: str) -> dict[str, Any]:
    return {"id": text_of(id), "type": "function", "function": {"name": text_of(name), "arguments": arguments}}


def _answer(id: Any, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": text_of(id), "content": content}


def _from_responses(body: Json) -> dict[str, Any]:
    instructions = text_of(body.get("instructions"))
    messages: list[Json] = [{"role": "system", "content": instructions}] if instructions else []
    items = body.get("input")
    others = []
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else objects(items):
        match item:
            case {"type": "function_call", "name": name}:
                call = _call(item.get("call_id"), name, text_of(item.get("arguments")))
                messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
            case {"type": "function_call_output", "output": output}:
                messages.append(_answer(item.get("call_id"), output))
            case {"role": role} if item.get("type", "message") == "message":
                messages.append({"role": role, "content": _plain(item.get("content"))})
            case _:
                others.append(text_of(item.get("type"))[:40] or "unnamed item")
    format = mapping(mapping(body.get("text")).get("format"))
    chat = _chat(body, messages, objects(body.get("tools")), format.get("schema"))
    if effort := mapping(body.get("reasoning")).get("effort"):
        chat["chat_template_kwargs"] = {"reasoning_effort": effort, **mapping(chat.get("chat_template_kwargs"))}
    return chat | {"uncounted": [*others, *chat["uncounted"]]}


def _plain(content: Any) -> Any:
    """Return a content whose parts of text have the type that chats give them."""
    if not isinstance(content, list):
        return content if isinstance(content, str | None) else [{"type": "unnamed part"}]
    return _unwrap([{**part, "type": "text"} if part.get("type") in TEXTS else part for part in objects(content)])


def _from_anthropic(body: Json) -> dict[str, Any]:
    messages: list[Json] = []
    for message in [{"role": "system", "content": body.get("system")}, *objects(body.get("messages"))]:
        content = message.get("content")
        if isinstance(content, list):
            messages += _from_blocks(text_of(message.get("role")), content)
        elif content or message.get("role") != "system":
            messages.append({"role": message.get("role"), "content": _plain(content)})
    return _chat(body, messages, objects(body.get("tools")), None)


def _from_blocks(role: str, content: Any) -> Iterator[Json]:
    """Yield the results of a message, then what it says and calls."""
    parts: list[Json] = []
    more: dict[str, Any] = {}
    for block in objects(content):
        match block:
            case {"type": "tool_result"}:
                answer = block.get("content")
                parted = [_part(one) for one in objects(answer)]
                texts = all(part.get("type") == "text" for part in parted)
                joined = "\n\n".join(part["text"] for part in parted) if texts else parted
                yield _answer(block.get("tool_use_id"), answer if isinstance(answer, str) else joined)
            case {"type": "tool_use"}:
                call = _call(block.get("id"), block.get("name"), compact_json(block.get("input") or {}))
                more.setdefault("tool_calls", []).append(call)
            case {"type": "thinking"}:
                more["reasoning_content"] = more.get("reasoning_content", "") + text_of(block.get("thinking"))
            case _:
                parts.append(_part(block))
    if parts or more:
        yield {"role": role, "content": _unwrap(parts), **more}


def _part(block: Json) -> Json:
    """Return a block of Anthropic's Messages as a part of a chat; a document that is a text is one."""
    source = mapping(block.get("source"))
    match block.get("type"):
        case "text":
            return {"type": "text", "text": text_of(block.get("text"))}
        case "document" if source.get("type") == "text":
            return {"type": "text", "text": text_of(source.get("data"))}
        case "document" if source.get("type") == "content":
            return {"type": "text", "text": join_parts(source.get("content"))}
        case "image":
            data = f"data:{text_of(source.get('media_type'))};base64,{text_of(source.get('data'))}"
            return _picture(data if source.get("type") == "base64" else text_of(source.get("url")))
        case kind:
            return {"type": text_of(kind)[:40] or "unnamed block"}


def _picture(url: str) -> Json:
    return {"type": "image_url", "image_url": {"url": url}}


def _from_gemini(body: Json) -> dict[str, Any]:
    messages: list[Json] = []
    called = answered = 0  # Gemini's calls have no ids; results follow in the order of their calls
    system = mapping(either(body, "systemInstruction", "system_instruction"))
    for content in [{**system, "role": "system"}, *objects(body.get("contents"))]:
        role = {"model": "assistant", "system": "system"}.get(text_of(content.get("role")), "user")
        parts: list[Json] = []
        more: dict[str, Any] = {}
        for part in objects(content.get("parts")):
            if call := mapping(either(part, "functionCall", "function_call")):
                called += 1
                sent = _call(f"call{called:05}", call.get("name"), compact_json(call.get("args") or {}))
                more.setdefault("tool_calls", []).append(sent)
            elif answer := mapping(either(part, "functionResponse", "function_response")):
                answered += 1
                result = _answer(f"call{answered:05}", compact_json(answer.get("response")))
                messages.append(result | ({"name": text_of(answer.get("name"))} if answered > called else {}))
            elif part.get("thought") and isinstance(part.get("text"), str):
                more["reasoning_content"] = more.get("reasoning_content", "") + part["text"]
            else:
                parts.append(_gemini_part(part))
        if parts or more:
            messages.append({"role": role, "content": _unwrap(parts), **more})
    return _chat(body, messages, [*_declared(body)], _find_schema(body))


def _gemini_part(part: Json) -> Json:
    inline = mapping(either(part, "inlineData", "inline_data"))
    linked = mapping(either(part, "fileData", "file_data"))
    media = text_of(either(inline or linked, "mimeType", "mime_type"))
    if media.startswith("image/"):
        return _picture(f"data:{media};base64,{text_of(inline.get('data'))}" if inline else "")
    if inline or linked:
        return {"type": media[:40] or "file"}
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    return {"type": next(iter(part), "empty part")[:40]}


def _declared(body: Json) -> Iterator[Json]:
    """Yield the functions that the tools of Gemini declare, and its own tools by their names."""
    for tool in objects(body.get("tools")):
        functions = objects(either(tool, "functionDeclarations", "function_declarations"))
        yield from ({**one, "type": "function"} for one in functions)
        yield from ({"type": key} for key in tool if key not in ("functionDeclarations", "function_declarations"))


def _find_schema(body: Json) -> Any:
    settings = mapping(either(body, "generationConfig", "generation_config"))
    return either(settings, "responseSchema", "response_schema", "responseJsonSchema")


def either(holder: Json, *keys: str) -> Any:
    """Return the value of the first key that there is."""
    return next((holder[key] for key in keys if key in holder), None)
