"""The vocabularies that can be fetched on request, those that must be brought, and models that publish none."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...errors import UnknownTokenizer, join_names
from ...settings import Settings
from ..models import models

FILE = Path(__file__).with_name("catalogue.toml")


@dataclass(frozen=True, slots=True)
class PackageRelease:
    """A release of a package, and its archive: the size, the hash, and whether it is one of source."""

    name: str
    version: str
    sha256: str
    bytes: int
    source: bool = False


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A vocabulary in a package. `members` is a shell pattern for its file, `sha256` the hash of that file.

    `licence` is the name of the model's licence, which no package contains as text; `link` leads to it. `repositories`
    of the hub have the vocabulary, too. A file of ranks has neither a pattern nor special tokens, which are therefore
    here.
    """

    id: str
    title: str
    models: tuple[str, ...]
    package: PackageRelease
    members: str
    sha256: str
    licence: str
    link: str
    repositories: tuple[str, ...] = ()
    pattern: str = ""
    special_tokens: tuple[str, ...] = ()
    bos_token: str = ""

    @property
    def megabytes(self) -> str:
        """The size of the download in megabytes, with one digit after the point."""
        return f"{self.package.bytes / 1_000_000:.1f}"

    @property
    def advice(self) -> str:
        """What to do where it cannot be fetched."""
        if not self.repositories:
            return ""
        repository = self.repositories[0]
        upload = "add it at /tokenizers, where it is recognized, or " if self.pattern else ""
        return (
            f" Get tokenizer.json of {repository} from huggingface.co elsewhere; {upload}put it into the folder "
            f"{repository} of one that TOKENARIUM_MIRROR names."
        )

    def companions(self, size: int) -> dict[str, bytes]:
        """Return the config of a ranks file with so many tokens, which names the special tokens after them."""
        if not self.special_tokens:
            return {}
        tokens = {
            str(id): {"content": token, "special": True} for id, token in enumerate(self.special_tokens, start=size)
        }
        config = {"tokenizer_class": "", "bos_token": self.bos_token, "added_tokens_decoder": tokens}
        return {"tokenizer_config.json": json.dumps(config).encode()}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The vocabularies by id, and titles of models whose files must be `brought` or are `unpublished`."""

    vocabularies: Mapping[str, CatalogueEntry]
    brought: tuple[str, ...] = ()
    unpublished: tuple[str, ...] = ()

    def get(self, name: str) -> CatalogueEntry | None:
        """Return a vocabulary by its id, or by the name of a model that has it, or None.

        >>> [one.id for name in ("llama-4", "meta-llama/Llama-3.1-8B", "gpt-4") if (one := catalogue().get(name))]
        ['llama-4', 'llama-3']
        """
        add = next((model.add for model in models() if model.add and model.names(name)), "")
        return self.vocabularies.get(name) or self.vocabularies.get(add)

    def find(self, name: str) -> CatalogueEntry:
        """Return a vocabulary as `get` does. Raises `UnknownTokenizer`, which names those that there are."""
        if (one := self.get(name)) is not None:
            return one
        known = join_names([*self.vocabularies, "hf:org/name"])
        raise UnknownTokenizer(f"Nothing of this name can be fetched. Valid names are {known}.")


@cache
def catalogue(path: Path = FILE) -> Catalogue:
    """Return the catalogue.

    >>> catalogue().find("llama-3").special_tokens[-1], len(catalogue().find("llama-4").special_tokens)
    ('<|reserved_special_token_245|>', 2048)
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    packages = {fields["name"]: PackageRelease(**fields) for fields in data["package"]}
    vocabularies = {}
    for fields in data["vocabulary"]:
        tokens = tuple(expand_tokens(fields.pop("special_tokens", ())))
        lists = {name: tuple(fields.pop(name, ())) for name in ("models", "repositories")}
        package = packages[fields.pop("package")]
        vocabularies[fields["id"]] = CatalogueEntry(**(fields | lists), package=package, special_tokens=tokens)
    titles = [tuple(data.get(group, {}).get("titles", ())) for group in ("brought", "unpublished")]
    return Catalogue(vocabularies, *titles)


def get_catalogue(settings: Settings) -> Catalogue:
    """Return the catalogue that the settings name, or else that of this project."""
    return catalogue(settings.catalogue or FILE)


def expand_tokens(tokens: Sequence[str | tuple[str, int, int]]) -> list[str]:
    """Return the spellings of special tokens, some of which are a template, a first number and a count.

    >>> expand_tokens(["<s>", ["<r{}>", 2, 3]])
    ['<s>', '<r2>', '<r3>', '<r4>']
    """
    result: list[str] = []
    for token in tokens:
        if isinstance(token, str):
            result.append(token)
        else:
            template, first, count = token
            result.extend(template.format(number) for number in range(first, first + count))
    return result
