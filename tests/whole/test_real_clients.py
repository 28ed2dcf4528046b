"""Clients of other servers, as they are published, against a server that runs as a user starts it.

Each test imports its client: to import them all takes seconds, in each process that collects tests.
"""

import pytest
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.rendering import render
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.conftest import EVERY
from tests.support.servers import serving
from tests.support.strings import NASTY

pytestmark = pytest.mark.nightly
KEY = "not-read"
CHAT = [*Registry(Settings()).chat_templates(EVERY)]


@pytest.fixture(scope="module")
def address():
    with serving() as (_, address):
        yield address


@pytest.mark.parametrize(
    ("tokenizer", "supported"),
    [("gpt2", True), ("o200k_base", True), ("mistral-v3", True), ("tekken", True), ("bert-base-uncased", False)],
)
def test_lm_eval_supports_each_tokenizer_that_has_an_end_of_text_token(address, tokenizer, supported):
    from lm_eval.utils import check_remote_tokenizer_support

    assert check_remote_tokenizer_support(f"{address}/t/{tokenizer}", timeout=30, max_retries=1) is supported


def test_lm_eval_without_a_tokenizer_finds_no_support_rather_than_a_wrong_vocabulary(address):
    from lm_eval.utils import check_remote_tokenizer_support

    assert check_remote_tokenizer_support(address, max_retries=1) is False


def test_lm_eval_encodes_and_decodes_with_the_tokenizer_of_its_base_url(address):
    from lm_eval.utils import RemoteTokenizer

    tokenizer = RemoteTokenizer(f"{address}/t/mistral-v3/v1/completions")
    assert tokenizer.encode("Hello world") == [23325, 2294]
    assert tokenizer.decode([23325, 2294]) == "Hello world"
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.eot_token) == (1, 2, 2)
    gpt2 = RemoteTokenizer(f"{address}/t/gpt2")
    assert gpt2.batch_decode([[15496, 995], [50256]]) == ["Hello world", "<|endoftext|>"]
    assert [gpt2.decode(gpt2.encode(text)) for text in NASTY.values()] == [*NASTY.values()]


@pytest.mark.parametrize("tokenizer", CHAT)
def test_lm_eval_renders_conversations_as_the_server_does(address, registry, tokenizer):
    from lm_eval.utils import RemoteTokenizer

    client = RemoteTokenizer(f"{address}/t/{tokenizer}")
    system, user = {"role": "system", "content": "Be\nshort."}, {"role": "user", "content": " <b> & 你好 "}
    assistant = {"role": "assistant", "content": "Yes."}
    for messages in ([user], [system, user], [user, assistant, user], [system, user, assistant, user, assistant]):
        for prompted in (True, False):
            conversation = Conversation(messages, add_generation_prompt=prompted)
            expected = render(registry, tokenizer, conversation).text
            assert client.apply_chat_template(messages, add_generation_prompt=prompted) == expected


def test_the_sdk_of_openai_counts_with_the_model_it_sends_or_the_one_of_its_base_url(address):
    import openai

    client = openai.OpenAI(base_url=f"{address}/v1", api_key=KEY)
    answer = client.responses.input_tokens.count(model="gpt-4o", input="Hello, 🌍! 你好!")
    assert (answer.input_tokens, answer.basis) == (15, "formula")
    estimate = client.responses.input_tokens.count(model="gpt-5", input="Hello", extra_query={"estimate": 1})
    assert (estimate.input_tokens, estimate.basis, estimate.estimate["high"]) == (5, "range", 9)
    there = openai.OpenAI(base_url=f"{address}/t/gpt2/v1", api_key=KEY)
    assert there.responses.input_tokens.count(model="gpt-4o", input="Hello, 🌍! 你好!").input_tokens == 12
    assert [model.id for model in there.models.list()] == ["gpt2"]
    assert {"o200k_base", "gpt2"} <= {model.id for model in client.models.list()}
    assert client.models.retrieve("openai-community/gpt2").id == "openai-community/gpt2"
    with pytest.raises(openai.NotFoundError, match="There is no tokenizer for this model"):
        client.models.retrieve("nothing")
    with pytest.raises(openai.NotFoundError, match="Anthropic publishes no tokenizer"):
        client.responses.input_tokens.count(model="claude-opus-4-5", input="a")


def test_the_sdk_of_anthropic_counts_a_conversation(address):
    import anthropic

    hello = [{"role": "user", "content": "Hello world"}]
    client = anthropic.Anthropic(base_url=address, api_key=KEY)
    assert client.messages.count_tokens(model="mistral-v3", messages=hello).input_tokens == 5
    there = anthropic.Anthropic(base_url=f"{address}/t/mistral-v3", api_key=KEY)
    assert there.messages.count_tokens(model="any", messages=hello).input_tokens == 5
    with pytest.raises(anthropic.NotFoundError, match="No estimate is made"):
        client.messages.count_tokens(model="claude-opus-4-5", messages=hello)
    estimate = client.messages.count_tokens(model="claude-opus-4-5", messages=hello, extra_query={"estimate": 1})
    assert (estimate.basis, estimate.estimate["complete"]) == ("unknown", False)


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_the_sdk_of_google_counts_in_both_versions_of_its_api(address, version):
    from google import genai

    options = genai.types.HttpOptions(base_url=address, api_version=version)
    with genai.Client(api_key=KEY, http_options=options) as client:
        answer = client.models.count_tokens(model="gpt-4o", contents="Hello, 🌍! 你好!")
    about = answer.sdk_http_response.headers["x-token-count"]
    assert (answer.total_tokens, about) == (15, "formula; low=15; high=15")
