"""Every route with its policy as one table, which a reviewer reads when a route is added."""

import pytest
from tokenarium.main import create_app
from tokenarium.web.policy import DEFAULT_POLICY, STATIC_FILES, RoutePolicy
from tokenarium.web.routing import list_routes
from tokenarium.web.services import get_services

from tests.conftest import ROOMY
from tests.support.asking import asking

TABLE = """
POST    /api/tokenize                        inline  cors
POST    /api/count                           inline  cors
POST    /tokenize                            inline  cors  llamacpp+sglang+tei+vllm
POST    /api/tokenize-stream                 server  streamed cors
POST    /detokenize                          inline  cors  vllm
POST    /api/ids                             worker  cors
GET     /                                    worker
POST    /                                    worker
POST    /window                              worker
POST    /token                               worker
POST    /models                              worker
POST    /download                            worker
GET     /embed                               worker  framed
GET     /pipeline                            worker
POST    /pipeline                            worker
POST    /pipeline/download                   worker
GET     /regex                               worker
POST    /regex                               worker
POST    /regex/checks                        worker
POST    /regex/word                          worker
GET     /chunks                              worker
POST    /chunks                              worker
POST    /chunks/download                     worker
GET     /detokenize                          worker
POST    /detokenize/ids                      worker
GET     /steps                               worker
POST    /steps                               worker
POST    /steps/window                        worker
POST    /steps/about                         worker
POST    /steps/download                      worker
GET     /compare                             worker
POST    /compare                             worker
POST    /compare/set                         worker
POST    /compare/download                    worker
GET     /compare/vocabularies                worker
GET     /chat                                worker
POST    /chat/download                       worker
POST    /chat                                worker
GET     /request                             worker
POST    /request                             worker
GET     /turns                               worker
POST    /turns                               worker
GET     /turns/templates                     worker
GET     /folder                              worker
POST    /folder                              server  upload
POST    /folder/download                     server  upload
GET     /logprobs                            server
GET     /languages                           worker
GET     /languages/premiums.pdf              worker
GET     /languages/premiums.png              worker
GET     /languages/premiums.svg              worker
GET     /languages/names.json                worker
GET     /languages/land.svg                  worker
GET     /train                               server
POST    /train                               server
GET     /train/jobs/{id}                     server
GET     /train/jobs/{id}/stream              server  watched uncounted
GET     /train/jobs/{id}/picture.svg         server
POST    /train/jobs/{id}/picture             server
POST    /train/jobs/{id}/cancel              server
POST    /train/jobs/{id}/keep                worker
POST    /train/delete                        server
GET     /learn/by-hand                       worker
POST    /learn/by-hand                       worker
GET     /learn/write-it/{id}                 worker
GET     /learn/write-it                      worker
POST    /learn/write-it/{id}                 worker
POST    /learn/write-it                      worker
GET     /learn/at-scale                      worker
GET     /learn/by-hand/practice              worker
GET     /learn/{id}/practice                 worker
GET     /learn                               worker
GET     /learn/introduction                  worker
GET     /learn/glossary                      worker
GET     /learn/glossary/{id}                 worker
GET     /learn/calculators                   worker
GET     /learn/calculators/{id}              worker
GET     /learn/{id}.ipynb                    worker
GET     /learn/{id}                          worker
POST    /learn/{id}                          worker
POST    /learn/{id}/download                 worker
GET     /lecture                             worker
GET     /lecture/slide                       worker
GET     /lecture/handout                     worker
POST    /lecture/handout                     worker
POST    /lecture/warm                        worker
GET     /vocabulary/{id}/summary             server
POST    /vocabulary/{id}/summary             server
GET     /vocabulary                          worker
GET     /vocabulary/{id}/rows                worker
GET     /vocabulary/{id}/compare             worker
GET     /vocabulary/{id}/{token}             worker
GET     /vocabulary/{id}                     worker
GET     /tokenizers/fetch                    server
POST    /tokenizers/fetch                    server
GET     /tokenizers/fetch/{id}               server
POST    /tokenizers/fetch/{id}/cancel        server
GET     /tokenizers                          server
POST    /tokenizers                          server  upload
POST    /tokenizers/delete                   server
GET     /tokenizers/{id}/card.md             worker
GET     /tokenizers/{id}                     worker
GET     /doctor                              server
POST    /doctor                              server  upload
POST    /doctor/mend                         server  upload
POST    /doctor/convert                      server  upload
GET     /surgery                             server
POST    /surgery                             server
POST    /surgery/preview                     worker
GET     /surgery/versions                    server
GET     /surgery/jobs/{id}                   server
GET     /surgery/jobs/{id}/stream            server  watched uncounted
POST    /surgery/jobs/{id}/cancel            server
GET     /conformance                         worker
POST    /conformance                         worker
GET     /docs                                server
GET     /docs/{name}                         server
GET     /llms.txt                            server
POST    /hall                                server
GET     /hall/{code}/screen                  server
GET     /hall/{code}/screen/events           server  watched uncounted
GET     /hall/{code}/lead                    server
GET     /hall/{code}/lead/events             server  watched uncounted
POST    /hall/{code}/stage                   server
POST    /hall/{code}/show                    server
POST    /hall/{code}/turn                    server
POST    /hall/{code}/rotate                  server
POST    /hall/{code}/handover                server
GET     /hall/{code}/take                    server
POST    /hall/{code}/take                    server
POST    /hall/{code}/close                   server
GET     /hall/{code}/end                     server
GET     /hall/{code}/end.csv                 server
GET     /h                                   server
GET     /hall/{code}                         server
GET     /hall/{code}/events                  server  watched uncounted
POST    /hall/{code}/vote                    server
POST    /hall/{code}/lost                    server
POST    /hall/{code}/question                server
POST    /hall/{code}/upvote                  server
GET     /about                               worker
GET     /about/licences/{name}               worker
GET     /search                              server
GET     /costs                               server
POST    /api/trace                           worker  cors
POST    /api/compare                         worker  cors
POST    /api/compare/columns                 server
GET     /api/compare/sets                    worker
GET     /api/compare/sets/{id}               worker
POST    /api/conformance                     server
POST    /api/costs                           worker  cors
POST    /api/chunk                           worker  cors
POST    /api/chat                            worker  cors
POST    /api/request                         worker  cors
POST    /api/turns                           worker  cors
GET     /api/languages                       worker
POST    /api/pipeline                        worker  cors
POST    /api/regex                           worker  cors
GET     /api/regex/presets                   worker
GET     /api/compare/vocabularies            worker
GET     /api/vocabulary/{id}/tokens/{token}  worker
GET     /api/vocabulary/{id}/variants        worker
GET     /api/vocabulary/{id}/tokens          worker
GET     /api/vocabulary/{id}                 server
POST    /compat/vllm/tokenize                inline  cors  vllm
POST    /v1/chat/completions/render          inline  cors  vllm
POST    /compat/vllm/v1/chat/completions/render inline  cors  vllm
POST    /compat/vllm/detokenize              inline  cors  vllm
GET     /tokenizer_info                      inline  cors  vllm
GET     /compat/vllm/tokenizer_info          inline  cors  vllm
POST    /v1/tokenize                         inline  cors  sglang
POST    /compat/sglang/v1/tokenize           inline  cors  sglang
POST    /compat/sglang/tokenize              inline  cors  sglang
POST    /v1/detokenize                       inline  cors  sglang
POST    /compat/sglang/v1/detokenize         inline  cors  sglang
POST    /compat/sglang/detokenize            inline  cors  sglang
POST    /compat/tei/tokenize                 inline  cors  tei
POST    /decode                              inline  cors  tei
POST    /compat/tei/decode                   inline  cors  tei
POST    /compat/llamacpp/tokenize            inline  cors  llamacpp
POST    /compat/llamacpp/detokenize          inline  cors  llamacpp
POST    /apply-template                      inline  cors  llamacpp
POST    /compat/llamacpp/apply-template      inline  cors  llamacpp
POST    /v1/messages/count_tokens            inline  cors  anthropic
POST    /v1beta/models/{model}:countTokens   inline  cors  gemini
POST    /v1/models/{model}:countTokens       inline  cors  gemini
POST    /v1/responses/input_tokens           inline  cors  openai
GET     /health                              server  cors uncounted  llamacpp
GET     /v1/models                           inline  cors  openai
GET     /v1/models/{model}                   inline  cors  openai
GET     /version                             server  cors uncounted  vllm
POST    /ping                                server  cors uncounted  vllm
GET     /ping                                server  cors uncounted  vllm
GET     /load                                server  cors uncounted  vllm
GET     /get_model_info                      inline  cors  sglang
GET     /model_info                          inline  cors  sglang
GET     /info                                inline  cors  tei
GET     /props                               inline  cors  llamacpp
GET     /slots                               server  cors uncounted  llamacpp
GET     /beyond                              server
GET     /beyond/bytes                        worker
POST    /beyond/bytes                        worker
POST    /beyond/bytes/download               worker
GET     /beyond/pictures                     worker
POST    /beyond/pictures                     server  upload
GET     /beyond/sound                        worker  sounds
GET     /beyond/sound/listen.wav             worker
POST    /beyond/sound                        server  upload sounds
GET     /beyond/actions                      worker
POST    /beyond/actions                      worker
POST    /beyond/actions/download             worker
GET     /beyond/concepts                     worker
POST    /beyond/concepts                     worker
POST    /beyond/concepts/download            worker
GET     /beyond/parameters                   worker
POST    /beyond/parameters                   worker
POST    /beyond/parameters/download          worker
GET     /beyond/budget                       worker
POST    /beyond/budget                       worker
POST    /beyond/budget/download              worker
POST    /api/beyond/bytes                    worker  cors
GET     /api/beyond/bytes/languages          worker
POST    /api/beyond/pictures                 worker  cors
POST    /api/beyond/sound                    worker  cors
POST    /api/beyond/sound/file               server  upload
POST    /api/beyond/actions                  worker  cors
POST    /api/beyond/concepts                 worker  cors
POST    /api/beyond/parameters               worker  cors
POST    /api/budget                          worker  cors
POST    /api/train                           server
POST    /api/train/form                      server
GET     /api/jobs/{id}                       server
GET     /api/jobs/{id}/events                server  watched uncounted
DELETE  /api/jobs/{id}                       server
GET     /api/jobs/{id}/download/{file}       server
GET     /api/fetches                         server
POST    /api/fetches                         server
GET     /api/fetches/{id}                    server
DELETE  /api/fetches/{id}                    server
POST    /api/doctor                          server  upload
POST    /api/doctor/convert                  server  upload
POST    /api/surgery                         server
POST    /api/surgery/form                    server
GET     /api/surgery/{id}                    server
GET     /api/surgery/{id}/events             server  watched uncounted
DELETE  /api/surgery/{id}                    server
GET     /api/surgery/{id}/download/{file}    server
GET     /api/tokenizers                      server
POST    /api/tokenizers                      server  upload
GET     /api/tokenizers/{id}/download/{name} server
GET     /api/tokenizers/{id}/card            worker
DELETE  /api/tokenizers/{id}                 server
GET     /api/tokenizers/{id}                 server
POST    /mcp                                 server  cors
GET     /healthz                             server  uncounted
GET     /openapi.json                        server
GET     /metrics                             server  uncounted
mount   /static                              server  cacheable uncounted
"""
"""Method, path, where it runs, what is not the default, and the dialect of errors or those that a body decides."""


APP = create_app(ROOMY)


def line(path, methods, policy):
    flags = [
        name
        for name in ("streamed", "upload", "watched", "cors", "framed", "sounds", "cacheable")
        if getattr(policy, name)
    ]
    flags += [] if policy.counted else ["uncounted"]
    dialects = "+".join(sorted(one.name for one in (policy.dialect, *policy.dialects) if one))
    return f"{methods:7} {path:36} {policy.run:7} {' '.join(flags)}  {dialects}".rstrip()


def test_every_route_has_the_policy_of_this_table():
    routes = [(path, route) for path, route in list_routes(APP) if not path.endswith("{rest}")]
    found = [line(path, "+".join(sorted(route.methods)), route.policy) for path, route in routes]
    assert [*found, line("/static", "mount", STATIC_FILES)] == TABLE.strip().splitlines()


def test_the_default_is_the_cautious_choice():
    assert RoutePolicy() == DEFAULT_POLICY
    assert (DEFAULT_POLICY.run, DEFAULT_POLICY.counted) == ("worker", True)
    assert (DEFAULT_POLICY.streamed, DEFAULT_POLICY.cors, DEFAULT_POLICY.framed) == (False, False, False)


@pytest.mark.parametrize(
    ("method", "path", "template"),
    [
        ("POST", "/tokenize", "/tokenize"),
        ("DELETE", "/tokenize", "/tokenize"),
        ("GET", "/api/tokenizers/org/name", "/api/tokenizers/{id}"),
        ("GET", "/api/tokenizers/x/download/y", "/api/tokenizers/{id}/download/{name}"),
        ("DELETE", "/api/tokenizers/x/download/y", "/api/tokenizers/{id}"),
        ("POST", "/v1beta/models/gpt-4o:countTokens", "/v1beta/models/{model}:countTokens"),
        ("GET", "/static/css/x.css", "/static"),
        ("GET", "/train%0A", "/train"),
        ("GET", "/static", "none"),
        ("GET", "/tokenize/", "none"),
        ("GET", "/nothing", "none"),
    ],
)
def test_a_request_has_the_route_of_its_path_and_method(method, path, template):
    app = create_app(ROOMY)
    (metrics,) = get_services(app).observers
    asking(app)(method, path)
    (route,) = {one.labels["route"] for family in metrics.requests.collect() for one in family.samples}
    assert route == template


def test_an_address_without_a_route_has_the_dialect_beside_it(ask):
    assert ask("GET", "/nothing").json()["code"] == ask("GET", "/api/nothing").json()["code"] == "not-found"
    assert ask("GET", "/compat/tei/nothing").json() == {
        "error": "There is nothing at this address.",
        "error_type": "validation",
    }
    assert ask("POST", "/v1/messages/nothing").json()["type"] == "error"


def test_no_answer_is_stored_but_files_that_are_the_same_for_everyone(ask):
    for path, _ in list_routes(APP):
        plain = path.replace("{", "").replace("}", "")
        assert ask("OPTIONS", plain).headers["cache-control"] == "private, no-store", path
    assert "cache-control" not in ask("OPTIONS", "/static/x").headers


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("GET", "/embed?text=Hello", {}),
        ("GET", "/tokenizers", {"headers": {"Cookie": "tokenarium=a"}}),
        ("GET", "/api/jobs/nothing", {}),
        ("POST", "/tokenize", {"json": {"tokenizer": "gpt2", "text": "Hello"}}),
        ("POST", "/tokenize", {"json": {"tokenizer": "gpt2"}}),
        ("POST", "/tokenize", {"content": b"", "headers": {"Host": "evil.example"}}),
        (
            "POST",
            "/api/tokenize-stream?tokenizer=gpt2",
            {"content": b'"Hello"', "headers": {"Content-Type": "application/x-ndjson"}},
        ),
    ],
)
def test_an_answer_with_a_text_or_to_a_cookie_is_not_stored(ask, method, path, options):
    assert ask(method, path, **options).headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize("path", ["/", "/steps", "/compare", "/tokenizers"])
def test_a_page_without_a_text_is_there_at_once_when_one_goes_back(ask, path):
    assert ask("GET", path).headers["cache-control"] == "private, no-cache"


def test_files_and_the_map_are_stored(ask):
    assert ask("GET", "/languages/land.svg").headers["cache-control"] == "public, max-age=86400"
    assert "cache-control" not in ask("GET", "/static/favicon.svg").headers
