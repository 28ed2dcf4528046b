"""What the server is measured against, served the same way: an endpoint that does nothing, and a first attempt."""

from fastapi import FastAPI
from pydantic import BaseModel
from tokenarium.registry import Registry
from tokenarium.settings import Settings

app = FastAPI()
tokenizer = Registry(Settings()).get("o200k_base")


class Text(BaseModel):
    """The body of a request."""

    text: str


class Token(BaseModel):
    """One token of the answer."""

    id: int
    piece: str
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int


@app.post("/empty")
async def empty() -> dict[str, str]:
    return {}


@app.post("/tokenize")
def tokenize(body: Text) -> list[Token]:
    """A model a token."""
    done = tokenizer.encode(body.text)
    columns = (done.ids, done.byte_starts, done.byte_ends, done.char_starts, done.char_ends)
    return [
        Token(id=id, piece=tokenizer.entry(id).piece, byte_start=b0, byte_end=b1, char_start=c0, char_end=c1)
        for id, b0, b1, c0, c1 in zip(*(column.tolist() for column in columns), strict=True)
    ]
