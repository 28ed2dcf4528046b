"""Codes of halls, secrets of those who lead them, and signed tokens of phones."""

import hmac
import secrets
from hashlib import blake2b, sha256

ALPHABET = "23456789BCDFGHJKMNPQRTVWXZ"
"""Without vowels, so that no code is a word, and without letters that look like digits."""
SHORTEST = 5
SPARSE = 500_000
"""Codes that there are, at least, for each one that is open: a guess is right at most once in so many."""


def code_length(halls: int) -> int:
    """Return the length of the next code, where so many halls are open.

    >>> code_length(0), code_length(22), code_length(23), code_length(1000)
    (5, 5, 6, 7)
    """
    length = SHORTEST
    while len(ALPHABET) ** length < SPARSE * (halls + 1):
        length += 1
    return length


def new_code(halls: int) -> str:
    """Return a random code, where so many halls are open."""
    return "".join(secrets.choice(ALPHABET) for _ in range(code_length(halls)))


def read_code(text: str) -> str:
    """Return a code as it was typed, in capitals and without spaces and dashes; "" if it cannot be one.

    >>> read_code(" k7x-2p "), read_code("what?"), read_code("../etc")
    ('K7X2P', '', '')
    """
    code = "".join(char for char in text.upper() if char not in " -\u2013\u2014")
    return code if SHORTEST <= len(code) <= 12 and {*code} <= {*ALPHABET} else ""


def new_secret() -> str:
    """Return a secret that nobody guesses, which fits into a cookie and an address."""
    return secrets.token_urlsafe(18)


def hash_secret(secret: str) -> str:
    """Return the hash under which a secret is kept."""
    return sha256(secret.encode()).hexdigest()


def matches(secret: str, hashed: str) -> bool:
    """True if a secret has this hash."""
    return bool(hashed) and hmac.compare_digest(hash_secret(secret), hashed)


def new_phone(key: str) -> str:
    """Return the token of another phone, signed with the key of the hall: a random name and its signature."""
    name = secrets.token_hex(6)
    return f"{name}.{_sign(name, key)}"


def read_phone(token: str, key: str) -> str:
    """Return the name of the phone that has a token, or "" if the hall did not give it out.

    >>> read_phone(new_phone("key"), "key") != "", read_phone(new_phone("key"), "other"), read_phone("a.b", "key")
    (True, '', '')
    """
    name, _, signature = token.partition(".")
    return name if token.isascii() and hmac.compare_digest(signature, _sign(name, key)) else ""


def _sign(name: str, key: str) -> str:
    return blake2b(name.encode(), key=key.encode(), digest_size=9).hexdigest()
