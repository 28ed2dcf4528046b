"""The same request in the format of another API, so that each model reads it in its own.

What the other format cannot say is left out; a picture stays one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .recognition import ApiFormat
from .values import compact_json, join_parts, mapping, objects, parse_json, text_of

Json = Mapping[str, Any]


def convert_body(body: Json, source: ApiFormat, target: ApiFormat) -> Json:
    """Return a body in another format; Responses is never a target, since all its models read chats."""
    if source == target:
        return body
    chat = {"responses": from_responses, "anthropic": from_anthropic, "gemini": from_gemini}.get(source, dict)(body)
    return {"anthropic": to_anthropic, "gemini": to_gemini}.get(target, dict)(chat)


def from_responses(body: Json) -> dict[str, Any]:
    """Return a body of Responses as one of Chat Completions.

    >>> from_responses({"model": "gpt-5", "instructions": "Be brief.", "input": "Hi"})["messages"]
    [{'role': 'developer', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hi'}]
    """
    instructions = text_of(body.get("instructions"))
    messages: list[Json] = [{"role": "developer", "content": instructions}] if instructions else []
    items = body.get("input")
    messages += [{"role": "user", "content": items}] if isinstance(items, str) else _from_items(items)
    tools = [make_tool(tool, tool.get("parameters")) for tool in objects(body.get("tools")) if is_function(tool)]
    chat = _chat(body, messages, tools) | {"tool_choice": body.get("tool_choice")}
    format = mapping(mapping(body.get("text")).get("format"))
    return chat | ({"response_format": {"json_schema": format}} if format.get("schema") else {})


def is_function(tool: Json) -> bool:
    """True for a function of the client."""
    return tool.get("type", "function") == "function" and isinstance(tool.get("name"), str)


def make_tool(tool: Json, schema: Any) -> dict[str, Any]:
    """Return the definition of a function as Chat Completions have it."""
    known = {"name": tool.get("name"), "description": tool.get("description"), "parameters": schema}
    return {"type": "function", "function": {key: value for key, value in known.items() if value is not None}}


def _chat(body: Json, messages: list[Json], tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"model": body.get("model"), "messages": messages} | ({"tools": tools} if tools else {})


def _from_items(items: Any) -> Iterator[Json]:
    for item in objects(items):
        match item:
            case {"type": "function_call", "name": name}:
                yield {"role": "assistant", "content": "", "tool_calls": [_call(name, text_of(item.get("arguments")))]}
            case {"type": "function_call_output", "output": output}:
                yield {"role": "tool", "content": output}
            case {"role": role}:
                yield {"role": role, "content": item.get("content")}


def _call(name: Any, arguments: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": text_of(name), "arguments": arguments}}


def from_anthropic(body: Json) -> dict[str, Any]:
    """Return a body of Anthropic's Messages as one of Chat Completions."""
    system = join_parts(body.get("system"))
    messages: list[Json] = [{"role": "system", "content": system}] if system else []
    for message in objects(body.get("messages")):
        content = message.get("content")
        if isinstance(content, str):
            messages.append({"role": message.get("role"), "content": content})
        else:
            messages += _from_blocks(text_of(message.get("role")), content)
    tools = [make_tool(tool, tool.get("input_schema")) for tool in objects(body.get("tools"))]
    return _chat(body, messages, tools)


def _from_blocks(role: str, content: Any) -> Iterator[Json]:
    """Yield the results of a message, then what it says and calls."""
    parts: list[Json] = []
    calls = []
    for block in objects(content):
        match block.get("type"):
            case "tool_result":
                yield {"role": "tool", "content": join_parts(block.get("content"))}
            case "tool_use":
                calls.append(_call(block.get("name"), compact_json(block.get("input"))))
            case "image":
                source = mapping(block.get("source"))
                data = f"data:{text_of(source.get('media_type'))};base64,{text_of(source.get('data'))}"
                parts.append({"type": "image_url", "image_url": {"url": text_of(source.get("url")) or data}})
            case "text" | "thinking" as kind:
                parts.append({"type": "text", "text": text_of(block.get(kind))})
    if parts or calls:
        yield {"role": role, "content": _unwrap(parts)} | ({"tool_calls": calls} if calls else {})


def _unwrap(parts: list[Json]) -> Any:
    """Return parts of text as one text, other parts as they are."""
    return "".join(part["text"] for part in parts) if all(part["type"] == "text" for part in parts) else parts


def from_gemini(body: Json) -> dict[str, Any]:
    """Return a body of Gemini's generateContent as one of Chat Completions."""
    system = join_parts(mapping(either(body, "systemInstruction", "system_instruction")).get("parts"))
    messages: list[Json] = [{"role": "system", "content": system}] if system else []
    for content in objects(body.get("contents")):
        role = "assistant" if content.get("role") == "model" else "user"
        calls = []
        for part in objects(content.get("parts")):
            if call := mapping(either(part, "functionCall", "function_call")):
                calls.append(_call(call.get("name"), compact_json(call.get("args"))))
            if answer := mapping(either(part, "functionResponse", "function_response")):
                messages.append({"role": "tool", "content": compact_json(answer.get("response"))})
        text = join_parts(content.get("parts"))
        if text or calls:
            messages.append({"role": role, "content": text} | ({"tool_calls": calls} if calls else {}))
    declarations = [one for tool in objects(body.get("tools")) for one in declared(tool)]
    return _chat(body, messages, [make_tool(one, one.get("parameters")) for one in declarations])


def either(holder: Json, *keys: str) -> Any:
    """Return the value of the first key that there is."""
    return next((holder[key] for key in keys if key in holder), None)


def declared(tool: Json) -> list[Json]:
    """Return the functions that a tool of Gemini declares."""
    return objects(either(tool, "functionDeclarations", "function_declarations"))


def to_anthropic(chat: Json) -> dict[str, Any]:
    """Return a body of Chat Completions as one of Anthropic's Messages."""
    system = []
    messages: list[Json] = []
    for message in objects(chat.get("messages")):
        role = text_of(message.get("role"))
        content = message.get("content")
        if role in ("system", "developer"):
            system.append(join_parts(content))
        elif role == "tool":
            messages.append({"role": "user", "content": [{"type": "tool_result", "content": content}]})
        else:
            blocks: list[Json] = [{"type": "text", "text": join_parts(content)}] if join_parts(content) else []
            blocks += [_image_block(part) for part in objects(content) if part.get("type") == "image_url"]
            calls = [{"type": "tool_use", "name": name, "input": arguments} for name, arguments in called(message)]
            messages.append({"role": role, "content": [*blocks, *calls]})
    functions = [mapping(tool.get("function")) for tool in objects(chat.get("tools"))]
    tools = [{**one, "input_schema": one.get("parameters")} for one in functions]
    return {"model": chat.get("model"), "system": "\n\n".join(system), "messages": messages, "tools": tools}


def _image_block(part: Json) -> Json:
    url = text_of(mapping(part.get("image_url")).get("url"))
    media, _, data = url.removeprefix("data:").partition(";base64,")
    linked = {"type": "url", "url": url}
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data} if data else linked}


def called(message: Json) -> Iterator[tuple[str, Any]]:
    """Yield name and arguments of each call of a message; arguments that are no JSON stay a text."""
    for call in objects(message.get("tool_calls")):
        function = mapping(call.get("function"))
        arguments = function.get("arguments")
        try:
            value = parse_json(arguments) if isinstance(arguments, str) else arguments
        except ValueError:
            value = arguments
        yield text_of(function.get("name")), value


def to_gemini(chat: Json) -> dict[str, Any]:
    """Return a body of Chat Completions as one of Gemini's generateContent."""
    system = []
    contents: list[Json] = []
    for message in objects(chat.get("messages")):
        role = text_of(message.get("role"))
        text = join_parts(message.get("content"))
        if role in ("system", "developer"):
            system.append({"text": text})
            continue
        parts: list[Json] = [{"text": text}] if text else []
        parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in called(message)]
        contents.append({"role": "model" if role == "assistant" else "user", "parts": parts})
    functions = [mapping(tool.get("function")) for tool in objects(chat.get("tools"))]
    tools = [{"functionDeclarations": functions}] if functions else []
    return {"systemInstruction": {"parts": system}, "contents": contents, "tools": tools}
