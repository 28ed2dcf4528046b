"""Requests as ASGI spells them."""


def scope_of(path, method="POST"):
    media, query = (b"application/x-ndjson", b"tokenizer=bytes") if "stream" in path else (b"application/json", b"")
    headers = [(b"host", b"localhost"), (b"content-type", media)]
    return {"type": "http", "method": method, "path": path, "query_string": query, "headers": headers}
