"""Which tokenizer a model reads with, and the rows of the picker: newest first, and what to do for those not here."""

from datetime import date

import pytest
from tokenarium.errors import UnknownTokenizer
from tokenarium.lab.costs import count_costs
from tokenarium.lab.model_names import NAMES_BY_TOKENIZER
from tokenarium.lab.models import model_list, models, resolve_model
from tokenarium.lab.prices import load_prices
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.types import TokenizerInfo

from tests.support.shelves import files, small


@pytest.mark.parametrize(
    ("model", "id"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5-mini", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("ft:gpt-4o:org", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("text-embedding-3-large", "cl100k_base"),
        ("text-embedding-ada-002", "cl100k_base"),
        ("ft:gpt-4:org", "cl100k_base"),
        ("text-davinci-003", "p50k_base"),
        ("code-davinci-edit-001", "p50k_edit"),
        ("davinci", "r50k_base"),
        ("gpt2", "gpt2"),
        ("gpt2-xl", "gpt2"),
        ("gpt-oss-20b", "o200k_harmony"),
        ("openai/gpt-oss-120b", "o200k_harmony"),
        ("mistralai/Mistral-7B-v0.1", "mistral-v1"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "mistral-v3"),
        ("mistralai/Mistral-Nemo-Instruct-2407", "tekken"),
        ("bert-base-uncased", "bert-base-uncased"),
        ("sentence-transformers/all-MiniLM-L6-v2", "bert-base-uncased"),
        ("Mixtral 8x7B", "mistral-v1"),
        ("GPT-4 Turbo", "cl100k_base"),
        ("udhr-unigram-16k", "udhr-unigram-16k"),
        ("gpt-5 nano", "o200k_base"),
        ("BERT", "bert-base-uncased"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen3"),
        ("Qwen/Qwen2-0.5B", "qwen3"),
        ("Qwen/Qwen3-8B", "qwen3"),
        ("Qwen/QwQ-32B", "qwen3"),
        ("Qwen2.5-Coder-32B-Instruct", "qwen3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen3"),
        ("Qwen/Qwen3.5-4B", "qwen3.5"),
        ("Qwen/Qwen3.6-27B", "qwen3.5"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-v3"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek-v3"),
        ("deepseek-chat", "deepseek-v3"),
        ("deepseek-ai/deepseek-coder-6.7b-instruct", "deepseek-coder"),
        ("google/gemma-4-31B-it", "gemma4"),
        ("gemini-3.1-pro", "gemma4"),
        ("gemini-3.5-flash", "gemma4"),
        ("gemini-2.5-pro", "gemma4"),
        ("gemini-3-flash-preview", "gemma4"),
        ("deepseek-v4-flash", "deepseek-v3"),
        ("moonshotai/Kimi-K2-Instruct", "kimi-k2"),
        ("zai-org/GLM-4.5", "glm-4"),
        ("zai-org/GLM-4.6", "glm-4"),
        ("BAAI/bge-m3", "xlm-roberta"),
        ("intfloat/multilingual-e5-large", "xlm-roberta"),
        ("FacebookAI/xlm-roberta-base", "xlm-roberta"),
        ("nomic-ai/nomic-embed-text-v2-moe", "xlm-roberta"),
        ("nomic-ai/nomic-embed-text-v1.5", "bert-base-uncased"),
        ("BAAI/bge-base-en-v1.5", "bert-base-uncased"),
        ("intfloat/e5-base-v2", "bert-base-uncased"),
        ("thenlper/gte-base", "bert-base-uncased"),
        ("distilbert-base-uncased", "bert-base-uncased"),
        ("google/electra-base-discriminator", "bert-base-uncased"),
        ("EleutherAI/pythia-1.4b", "gpt-neox"),
        ("allenai/OLMo-7B", "gpt-neox"),
        ("mosaicml/mpt-7b", "gpt-neox"),
        ("allenai/OLMo-2-1124-7B", "cl100k_base"),
        ("microsoft/phi-4", "cl100k_base"),
        ("microsoft/Phi-3-mini-4k-instruct", "phi-3"),
        ("microsoft/Phi-3.5-mini-instruct", "phi-3"),
        ("openai/whisper-large-v3", "whisper-v3"),
        ("openai/whisper-small", "whisper"),
        ("openai/clip-vit-base-patch32", "clip"),
        ("laion/CLIP-ViT-H-14-laion2B-s32B-b79K", "clip"),
        ("google-t5/t5-base", "t5"),
        ("google/flan-t5-xxl", "t5"),
        ("google/umt5-xxl", "umt5"),
        ("answerdotai/ModernBERT-base", "modernbert"),
        ("tiiuae/falcon-40b", "falcon"),
        ("claude-2.1", "claude-2"),
        ("claude-instant-1.2", "claude-2"),
        ("mistralai/Mistral-Large-Instruct-2411", "mistral-v7"),
        ("BlinkDL/rwkv-7-world", "rwkv-world"),
        ("RWKV/v6-Finch-7B-HF", "rwkv-world"),
        ("rwkv-5", "rwkv-world"),
        ("rwkv-7", "rwkv-world"),
        ("RWKV-6 World", "rwkv-world"),
        ("01-ai/Yi-34B-Chat", "yi"),
        ("yi-34b", "yi"),
        ("yi-1.5", "yi"),
        # As providers, gateways and runners spell them.
        ("openai/gpt-4o", "o200k_base"),
        ("azure/gpt-4o", "o200k_base"),
        ("azure/my-gpt-4o-prod", "o200k_base"),
        ("azure/eu_gpt-35-turbo_2", "cl100k_base"),
        ("azure/gpt4o", "o200k_base"),
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("ft:gpt-4o-mini:org::id", "o200k_base"),
        ("openai/ft:gpt-3.5-turbo-0125:org::id", "cl100k_base"),
        ("openrouter/openai/gpt-4o", "o200k_base"),
        ("openrouter/deepseek/deepseek-r1:free", "deepseek-v3"),
        ("models/gemini-2.5-flash", "gemma4"),
        ("gemini/gemini-2.5-pro", "gemma4"),
        ("projects/p/locations/us/publishers/google/models/gemini-2.5-pro", "gemma4"),
        ("bedrock/anthropic.claude-v2:1", "claude-2"),
        ("bedrock/openai.gpt-oss-20b-1:0", "o200k_harmony"),
        ("qwen3:8b", "qwen3"),
        ("ollama/qwen2.5-coder:32b-instruct-q4_K_M", "qwen3"),
        ("hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M", "qwen3"),
        ("deepseek-r1:7b", "qwen3"),
        ("deepseek-r1:671b", "deepseek-v3"),
        ("qwen/qwen3-8b-instruct", "qwen3"),
        ("DEEPSEEK-AI/deepseek-v3", "deepseek-v3"),
        ("mistralai/mistral-nemo", "tekken"),
        ("mixtral:8x7b", "mistral-v1"),
        ("Microsoft/Phi-4", "cl100k_base"),
        ("phi3:mini", "phi-3"),
        ("gpt-oss:20b", "o200k_harmony"),
        ("openai-community/gpt2", "gpt2"),
    ],
)
def test_a_model_has_its_tokenizer(registry, model, id):
    assert resolve_model(registry, model) == id


def test_every_name_leads_to_a_tokenizer_of_the_store_and_none_to_two(registry):
    ids = {info.id for info in registry.infos()}
    assert set(NAMES_BY_TOKENIZER) <= ids
    names = [name for some in NAMES_BY_TOKENIZER.values() for name in some]
    assert len(names) == len(set(names))
    assert not set(names) & ids


@pytest.mark.parametrize(
    ("model", "near"),
    [
        ("gpt-4p", "gpt-4"),
        ("gpt-4.2", "gpt-4.1"),
        ("mistral-v4", "mistral-v3"),
        ("claude-opus-4-5", "Claude 3 and later"),
        ("llama3", "The tokenizer of Llama 3 is not part of this server"),
        ("anthropic/claude-3-haiku", "Anthropic publishes no tokenizer"),
        ("", "See the list at /tokenizers, or tokenarium list."),
        ("nothing-like-it", "There is no tokenizer for this model. See the list"),
        ("openrouter/anthropic/claude-sonnet-4", "Anthropic publishes no tokenizer"),
        ("bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", "Anthropic publishes no tokenizer"),
        ("llama3.1:8b-instruct-q4_K_M", "The tokenizer of Llama 3 is"),
        ("deepseek-r1:70b", "The tokenizer of Llama 3 is"),
        ("bedrock/us.meta.llama3-1-8b-instruct-v1:0", "The tokenizer of Llama 3 is"),
        ("google/gemma-3-27b-it", "gemma4 has the merges of Gemma 3, and other special tokens."),
        ("BAAI/bge-large-zh", "It has the vocabulary of bert-base-chinese, which is not included: add its file."),
        ("grok-4", "xAI publishes no tokenizer for Grok 4."),
        ("falcon3-7b", "Nearest: falcon."),
        ("command-r-plus-08-2024", "The tokenizer of Command R, Aya is"),
        ("command-r:35b", "The tokenizer of Command R, Aya is"),
        # Their vocabularies are others, or not known to be these.
        ("command-r7b-12-2024", "There is no tokenizer for this model."),
        ("deepseek-r1:8b", "There is no tokenizer for this model."),
        ("microsoft/Phi-4-mini-instruct", "There is no tokenizer for this model. Nearest: phi-4"),
        ("microsoft/Phi-3-small-8k-instruct", "There is no tokenizer for this model."),
        ("deepseek-ai/deepseek-coder-7b-instruct-v1.5", "There is no tokenizer for this model."),
        ("thenlper/gte-large-zh", "There is no tokenizer for this model."),
        ("mistral-large-latest", "There is no tokenizer for this model."),
        ("someone/gpt2", "There is no tokenizer for this model."),
        ("azure/team-ada", "There is no tokenizer for this model."),
    ],
)
def test_a_model_that_is_not_here_is_answered_with_the_nearest_names(registry, model, near):
    with pytest.raises(UnknownTokenizer) as caught:
        resolve_model(registry, model)
    assert near in caught.value.detail
    assert caught.value.pointer == "/model"


def rows(infos):
    return {title: [row.label for row in members] for title, members in model_list(infos).groups}


def info(id, title="", **fields):
    return TokenizerInfo(id, title or id, fields.pop("family", "bpe"), ("scratch",), 10, lossless=True, **fields)


def test_models_are_listed_by_name_and_vocabulary_newest_first(registry):
    assert rows(registry.infos())["Popular"][:5] == [
        "DeepSeek V4 · deepseek-v3",
        "Gemini 3.1 · gemma4",
        "GPT-5 · o200k_base",
        "o3, o4-mini · o200k_base",
        "GPT-4.1 · o200k_base",
    ]


def test_what_is_not_here_comes_last_and_says_what_to_do(registry):
    popular = rows([one for one in registry.infos() if one.id == "o200k_base"])["Popular"]
    assert popular[4:] == [
        "Llama 4: not included: download",
        "Llama 3: not included: download",
        "Claude 3 and later: no public tokenizer",
    ]


def test_every_tokenizer_has_a_row(registry):
    infos = registry.infos()
    assert set(model_list(infos).newest) == {one.id for one in infos}


def test_a_tokenizer_without_an_entry_has_a_row_of_its_own_and_a_trained_one_is_yours():
    new = info("new-1", "New", models=("New 7B",))
    trained = info("mine-0123456789ab", "Mine", origin="trained")
    assert rows([new])["Open"][0] == "New · new-1"
    assert rows([new, trained])["Yours"] == ["Mine · mine-0123456789ab"]


def test_a_vocabulary_is_found_by_models_of_its_own_description_that_have_no_entry(registry):
    newest = model_list(registry.infos()).newest["o200k_base"]
    assert (newest.name, newest.released) == ("GPT-5", date(2025, 8, 7))
    assert "GPT-4o" not in newest.also


def test_no_two_entries_have_a_name():
    names = [one.name for one in models()]
    assert len(names) == len(set(names))


def test_rows_can_be_limited_to_some_tokenizers(registry):
    only = model_list(registry.infos()).only(["gpt2", "bytes"])
    assert [title for title, _ in only.groups] == ["Classic"]
    assert [row.label for row in only.groups[0][1]] == ["GPT-2 · gpt2", "Bytes"]


def test_a_folder_that_the_settings_name_is_recognized_by_its_name_and_its_rows_count(tmp_path):
    folder = tmp_path / "meta-llama" / "Llama-3.1-8B-Instruct"
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_bytes(files(small((97, 98)))["tokenizer.json"])
    registry = Registry(Settings(hub=(str(folder),), local=tmp_path / "local"))
    for name in ("llama-3", "llama3.2:1b", "meta-llama/Meta-Llama-3-8B"):
        assert resolve_model(registry, name) == "Llama-3.1-8B-Instruct"
    assert "Llama 3 · Llama-3.1-8B-Instruct" in rows(registry.infos())["Popular"]
    (llama,) = count_costs(registry, "ab", [one for one in load_prices() if one.tokenizer == "llama-3"][:1], limit=99)
    assert (llama.state, llama.tokens.low) == ("exact", 1)
    with pytest.raises(UnknownTokenizer):
        resolve_model(registry, "llama-4")
