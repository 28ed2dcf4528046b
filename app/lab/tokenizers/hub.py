"""The files of a tokenizer in a repository of the Hugging Face hub: no more than are needed, and within a limit."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ...errors import Invalid, NoSpace, Unavailable

HUB = "hf:"
HUB_NAME = re.compile(r"hf:([\w.-]+(?:/[\w.-]+)?)(?:@([\w./-]{1,100}))?")
WHOLE = "tokenizer.json"
"""A file that has the whole vocabulary: where it is, no other vocabulary is needed."""
COMPANIONS = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja"
VOCABULARIES = "*.model", "tekken.json", "vocab.json", "merges.txt", "vocab.txt", "*.tiktoken"
TIMEOUT = 15.0
"""Seconds to connect, and between two parts of an answer."""
Report = Callable[[Mapping[str, Any]], None]


def hub_parts(name: str) -> tuple[str, str | None]:
    """Return the repository and the revision that a name of the hub has. Raises `Invalid`.

    >>> hub_parts("hf:org/name@v1"), hub_parts("hf:org/name")
    (('org/name', 'v1'), ('org/name', None))
    """
    match = HUB_NAME.fullmatch(name)
    if match is None:
        raise Invalid("A tokenizer of the hub is written hf:org/name or hf:org/name@revision.", pointer="/name")
    return match[1], match[2]


def select_needed(names: Mapping[str, int]) -> dict[str, int]:
    """Return those of a repository's files, by name with their bytes, that a tokenizer needs; none in a subfolder.

    >>> select_needed({"a/tokenizer.json": 9, "tokenizer.json": 2, "a.model": 5, "chat_template.jinja": 1, "x.bin": 7})
    {'tokenizer.json': 2, 'chat_template.jinja': 1}
    """
    patterns = (WHOLE, *COMPANIONS, *(() if WHOLE in names else VOCABULARIES))
    return {name: size for name, size in names.items() if any(_matches(name, pattern) for pattern in patterns)}


def _matches(name: str, pattern: str) -> bool:
    return "/" not in name and fnmatchcase(name, pattern)


def hub_files(repository: str, revision: str | None, *, most: int, report: Report) -> dict[str, bytes]:
    """Return the tokenizer's files of a repository; a token and the address are taken from the environment.

    `report` is called with events {"kind": "downloading", "read", "of"}, in bytes. Raises `Unavailable`, and `NoSpace`
    for more than `most` bytes: before the transfer by the sizes that the hub tells, and while it goes on.
    """
    from huggingface_hub.errors import (  # type: ignore[attr-defined]
        HfHubHTTPError,
        HFValidationError,
        HTTPError,
        OfflineModeIsEnabled,
    )

    try:
        return _download(repository, revision, most, report)
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        raise Unavailable(f"The hub does not give out {repository}: it answers {status}.") from None
    except OfflineModeIsEnabled:
        raise Unavailable(f"{repository} cannot be fetched: HF_HUB_OFFLINE is set.") from None
    except HTTPError as error:
        reason = type(error).__name__
        raise Unavailable(f"{repository} cannot be fetched: the hub cannot be reached ({reason}).") from None
    except HFValidationError:
        raise Invalid("This is no name of a repository of the hub.", pointer="/name") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Unavailable(f"{repository} cannot be fetched: the hub answers with something else than files.") from None


def _download(repository: str, revision: str | None, most: int, report: Report) -> dict[str, bytes]:
    from huggingface_hub import HfApi

    endpoint = os.environ.get("HF_ENDPOINT") or None
    info = HfApi(endpoint=endpoint).model_info(repository, revision=revision, files_metadata=True, timeout=TIMEOUT)
    sizes = select_needed({file.rfilename: file.size or 0 for file in info.siblings or ()})
    if not sizes:
        raise Unavailable(f"{repository} has no files of a tokenizer.")
    total = sum(sizes.values())
    read = 0
    files: dict[str, bytes] = {}
    for name in sizes:
        _check_room(repository, max(total, read), most)
        data = bytearray()
        for part in _parts(repository, name, info.sha or revision, endpoint):
            data += part
            read += len(part)
            _check_room(repository, read, most)
            report({"kind": "downloading", "read": read, "of": max(total, read)})
        files[name] = bytes(data)
    return files


def _parts(repository: str, name: str, revision: str | None, endpoint: str | None) -> Any:
    """Yield a file in parts."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import (  # type: ignore[attr-defined]
        build_hf_headers,
        get_session,
        hf_raise_for_status,
    )

    url = hf_hub_url(repository, name, revision=revision, endpoint=endpoint)
    with get_session().stream(
        "GET", url, headers=build_hf_headers(), timeout=TIMEOUT, follow_redirects=True
    ) as response:
        hf_raise_for_status(response)
        yield from response.iter_bytes(2**16)


def _check_room(repository: str, size: int, most: int) -> None:
    if size > most:
        detail = f"The tokenizer's files of {repository} take {size:,} bytes or more, and {most:,} are left for them."
        raise NoSpace(detail, limit=most)
