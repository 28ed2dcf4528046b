"""/openapi.json: valid for other programs, with a schema for each answer, and clients can be generated from it."""

import importlib
import sys

import anyio
import httpx
import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_spec_validator import OpenAPIV31SpecValidator
from tokenarium.main import create_app

from tests.conftest import ROOMY, asker
from tests.support.strings import NASTY

WITHOUT_BODY = {("get", "/ping", "200"), ("post", "/ping", "200"), ("delete", "/api/tokenizers/{id}", "204")}


@pytest.fixture
def description(ask):
    return ask("GET", "/openapi.json").json()


def test_an_independent_validator_accepts_the_description(description):
    assert description["openapi"].startswith("3.1")
    assert [error.message for error in OpenAPIV31SpecValidator(description).iter_errors()] == []


def test_every_answer_has_a_schema(description):
    without = {
        (method, path, status)
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
        for status, answer in operation["responses"].items()
        if status.startswith("2")
        and not (answer.get("content") and all(content.get("schema") for content in answer["content"].values()))
    }
    assert without == WITHOUT_BODY


@pytest.fixture(scope="module")
def generated(tmp_path_factory, registry):
    """A client that openapi-python-client makes of the description, as a package."""
    folder = tmp_path_factory.mktemp("client")
    source = folder / "openapi.json"
    source.write_text(asker(registry)("GET", "/openapi.json").text)
    options = {"document_source": source, "file_encoding": "utf-8", "overwrite": True}
    file = ConfigFile(post_hooks=[], package_name_override="generated_client")
    generate(config=Config.from_sources(file, MetaType.NONE, output_path=folder / "generated_client", **options))
    sys.path.insert(0, str(folder))
    yield importlib.import_module("generated_client")
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == "generated_client"]:
        del sys.modules[name]


@pytest.mark.nightly
def test_a_generated_client_tokenizes_with_typed_results(generated, registry):
    models = importlib.import_module("generated_client.models")
    operations = ("tokenize", "detokenize")
    to_tokens, to_text = (importlib.import_module(f"generated_client.api.tokens.{name}").asyncio for name in operations)
    address, transport = "http://127.0.0.1:8000", httpx.ASGITransport(create_app(ROOMY, registry=registry))

    async def check():
        client = generated.Client(base_url=address, raise_on_unexpected_status=True)
        async with httpx.AsyncClient(transport=transport, base_url=address) as connection:
            client.set_async_httpx_client(connection)
            for text in NASTY.values():
                answer = await to_tokens(client=client, body=models.TokenizeRequest(tokenizer="gpt2", text=text))
                assert isinstance(answer, models.Tokenization)
                assert answer.count == len(answer.ids) == len(answer.pieces)
                request = models.DetokenizeRequest(tokenizer="gpt2", ids=answer.ids)
                back = await to_text(client=client, body=request)
                assert isinstance(back, models.Detokenization)
                assert back.text == text

    anyio.run(check)
