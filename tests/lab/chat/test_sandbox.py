"""The sandbox: what templates can do, and what becomes of those that are malformed, malicious or without end."""

import pickle
from contextlib import suppress
from datetime import datetime

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenarium.errors import BadTemplate, Invalid, TemplateLimit
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.limits import MAX_BITS, MAX_LENGTH, MAX_STEPS, MAX_TEMPLATE_TOKENS, current_budget, step_budget
from tokenarium.lab.chat.operations import MAX_DECIMALS
from tokenarium.lab.chat.rendering import MAX_TEMPLATE_LENGTH, render
from tokenarium.lab.chat.sandbox import compile_template

from tests.conftest import TIER

SAID = [{"role": "user", "content": "correct horse"}]


def written(registry, template, messages=SAID, **fields):
    return render(registry, "gpt2", Conversation(messages, template=template, **fields)).text


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{% for m in messages %}\n  {% if true %}\n{{ m.role }}\n  {% endif %}\n{% endfor %}", "user\n"),
        ("{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "01345678"),
        ("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
        ("{{ {'b': '<é>', 'a': [1, none]} | tojson }}", '{"b": "<é>", "a": [1, null]}'),
        ("{{ {'b': 1, 'a': 2} | tojson(indent=2, sort_keys=true) }}", '{\n  "a": 2,\n  "b": 1\n}'),
        ("{{ 'é' | tojson(ensure_ascii=true) }}", '"\\u00e9"'),
        ("{{ [1, 2] | tojson(separators=(',', ':')) }}", "[1,2]"),
        ("{{ strftime_now('%d %b %Y') }}", "02 Jan 2025"),
        ("{% generation %}{{ messages[0].content }}{% endgeneration %}", "correct horse"),
        ("{% set ns = namespace(a=1) %}{% set ns.a = 2 %}{{ ns.a }}{{ dict(a=3).a }}", "23"),
        ("{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}", "TrueTrueTrue"),
        ("{{ messages[0].nothing }}{{ bos_token is defined }}", "False"),
    ],
)  # fmt: skip
def test_templates_have_what_transformers_gives_them(registry, template, text):
    assert written(registry, template, now=datetime(2025, 1, 2)) == text


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("{% for %}", 1),
        ("a\n{{ 'b' }\n", 2),
        ("a\n\n{% if x %}", 3),
        ("{% include 'x' %}", 1),
        ("\n\n{{ messages[0].content.split(7) }}", 3),
        ("{% macro m(x) %}\n{{ x.a.b }}\n{% endmacro %}\n{{ m(messages) }}", 2),
        ("{{ 1 / 0 }}", 1),
        ("\n{{ messages[0].content | nothing }}", 2),
    ],
)
def test_a_mistake_is_told_with_its_line(registry, template, line):
    with pytest.raises(BadTemplate) as raised:
        written(registry, template)
    assert f"line {line}" in raised.value.detail
    assert raised.value.pointer == "/chat_template"
    assert "correct" not in raised.value.detail


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages[0].content.__init__.__globals__ }}",
        "{{ messages.append.__self__ }}",
        "{{ raise_exception.__globals__['datetime'] }}",
        "{{ strftime_now.__code__ }}",
        "{{ self.__init__.__globals__ }}",
        "{{ dict.__call__.__globals__ }}",
        "{% set ns = namespace(__class__=1) %}",
        "{% set ns = namespace() %}{% set ns._a = 1 %}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update({'a': 1}) }}",
        "{{ '{0.__class__}'.format(messages) }}",
        "{{ messages[0].content._runs }}{{ messages[0].content._runs.x }}",
        "{{ (messages | map(attribute='__class__') | list)[0] }}",
    ],
)
def test_nothing_behind_the_values_can_be_reached(registry, template):
    try:
        text = written(registry, template)
    except BadTemplate:
        return
    assert text in ("", "correct horse") or "Undefined" in text


ADDRESSED = (
    *(
        "''.maketrans",
        "''.upper",
        "messages[0].content.strip",
        "messages.index",
        "messages[0].items",
        "''.encode().join",
    ),
    *("dict", "dict.fromkeys", "strftime_now", "raise_exception", "'{}'.format", "cycler(1)", "joiner()"),
    *("cycler(1).next", "loop.cycle", "self.body", "messages | map('upper')", "[1] | batch(2)", "{}.items"),
)
"""Values that Python writes with their address, unless a template cannot reach them."""
WRITERS = [
    *("{{ x }}", "{{ [x] }}", "{{ {'a': (x, 1)} }}", "{{ namespace(a=x) }}", "{{ x ~ '' }}", "{{ '%s' % x }}"),
    *("{{ '%r' % [x] }}", "{{ '{}'.format(x) }}", "{{ '{0!r}'.format([x]) }}", "{{ x | string }}", "{{ x | e }}"),
    *("{{ [x] | join }}", "{{ [[x]] | join(',') }}", "{{ x | upper }}", "{{ x | replace('a', 'b') }}"),
    *("{{ {'a': x} | xmlattr }}", "{{ x | urlencode }}", "{{ x | trim }}", "{{ x | tojson }}", "{{ x | indent }}"),
    *("{{ '%s' | format(x) }}", "{{ 'a' | replace('a', x) }}", "{{ [[x]] | first }}", "{{ x | list }}"),
    *("{{ [x] | map('string') | join }}", "{{ (x | default(1)) ~ 'a' }}", "{{ ''.join([[x] | string]) }}"),
    "{% block body %}{% for i in [1] %}{{ [x, i] }}{% endfor %}{% endblock %}",
]
"""Ways to write a value `x`."""


@pytest.mark.parametrize("number", range(len(WRITERS)))
def test_no_address_is_written(registry, number):
    """Each way writes each value; before a commit, every fourth of them, which differ from one way to the next."""
    template = WRITERS[number]
    for value in ADDRESSED if TIER == "nightly" else ADDRESSED[number % 4 :: 4]:
        with suppress(BadTemplate):
            conversation = Conversation(SAID, template=f"{{% set x = {value} %}}{template}")
            assert "0x" not in render(registry, "gpt2", conversation, attributed=True).text, value


def assert_ends_with_the_steps(template):
    """A template gets a tenth of its steps, as all of them take half a second."""
    ready = compile_template(template, sourced=False)
    with step_budget(datetime(2026, 11, 22)):
        current_budget().charge(MAX_STEPS * 9 // 10)
        with pytest.raises(TemplateLimit) as raised:
            ready.render(messages=SAID)
    assert (raised.value.code, raised.value.limit) == ("template-limit", MAX_STEPS)


def often(expression):
    """Evaluate it in loops that alone would take 10,000,000,000 rounds; `b` is a long text and `n` a long list."""
    given = "{% set b = 'x' * 3000000 %}{% set n = range(99999) | list %}"
    rounds = "{% for i in range(99999) %}{% for j in range(99999) %}"
    return f"{given}{rounds}{{% set y = {expression} %}}{{% endfor %}}{{% endfor %}}"


def doubled(first, step, last=""):
    return (
        f"{{% set ns = namespace(a={first}) %}}{{% for i in range(99) %}}{{% set ns.a = {step} %}}{{% endfor %}}{last}"
    )


@pytest.mark.parametrize(
    "expression",
    [
        *("1", "i < j", "0 < i < j", "i + j * 4 - 3", "i in n", "1.5 in n", "n[1:]", "n + n", "n == n", "{'a': n}"),
        *("messages[0].content", "messages[0]['content']", "messages[0].content.upper()"),
        *("b[1:]", "b[::-1]", "b ~ 'a'"),
        *("b + 'a'", "b == b[1:]", "'y' in b", "b * 1"),
        *("'%s' % b", "'{}'.format(b)", "'%99999d' % 1", "[b] == [b ~ '']"),
        *("b | upper", "b | list", "b | replace('x', 'y')", "b | title", "b | wordcount", "b | urlencode", "b | e"),
        *("b | trim('x')", "b | indent", "b | tojson", "b | center(9)"),
        *("b | truncate(9)", "b | int(0, 16)", "b | float"),
        *("b | sort", "b | max", "b | join", "b | batch(3) | list", "b | string", "[b] | string", "b | capitalize"),
        *("n | sort", "n | unique | list", "n | groupby('real')", "n | map('string') | list", "n | select | list"),
        *("n | batch(7) | list", "n | slice(7) | list", "n | join", "n | tojson", "n | sum", "n | min", "n | max"),
        *("n | reverse | list", "n | reject('odd') | list", "n | map(attribute='real') | list", "range(99999) | sum"),
        *("b.upper()", "b.replace('x', 'y')", "b.split('x')", "b.strip('yx')", "b.rfind('ab')", "b.count('xy')"),
        *("b.encode()", "b.translate({1: 2})", "b.splitlines()", "b.expandtabs()", "b.zfill(9)", "b.isalpha()"),
        *("'a'.join([b, 'a'])", "b is upper", "b is eq(b ~ '')", "n is eq(n + [])", "n.index(99998)", "n.count(1.5)"),
        *("(b | safe).striptags()", "dict.fromkeys(b)", "1.5 in (n | select)", "cycler(*n)", "messages | tojson"),
    ],
)  # fmt: skip
def test_every_operation_takes_steps_in_proportion_to_its_values(expression):
    assert_ends_with_the_steps(often(expression))


def test_a_call_of_a_macro_takes_fifteen_steps():
    def steps(template):
        ready = compile_template(template, sourced=False)
        with step_budget(datetime(2026, 11, 22)):
            ready.render()
            return MAX_STEPS - current_budget().steps

    macro = "{% macro m() %}{% endmacro %}"
    # Three nodes, four for a call and eight for a macro.
    assert steps(macro + "{{ m() }}") - steps(macro) == 15


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) if false %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) recursive %}{{ loop(range(99999)) if loop.depth < 3 }}{% endfor %}",
        "{% for i in range(99999) %}{% set x %}" + "y" * 90_000 + "{% endset %}{% endfor %}",
        "{% for i in range(99999) %}{% set x %}{% filter upper %}"
        + "y" * 90_000
        + "{% endfilter %}{% endset %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(50) }}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% for i in range(99999) %}{% for i in range(99999) %}"
        "{% call m() %}{% endcall %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% for i in range(99999) %}{{ self.a() }}{% endfor %}{% endfor %}"
        "{% block a %}{% endblock %}",
        "{% for c in 'a' * 3000000 %}{% endfor %}",
        "{{ 'a' | center(3999999) | list | length }}",
        *(doubled("[1]", "[ns.a, ns.a]", last) for last in ("{{ ns.a }}", "{{ ns.a | tojson }}", "{{ ns.a ~ '' }}")),
        *(doubled("[1]", "[ns.a, ns.a]", last) for last in ("{{ {}[ns.a].x }}", "{{ '%s' % (ns.a,) }}")),
        *(doubled("(1,)", "(ns.a, ns.a)", last) for last in ("{{ {ns.a: 1} }}", "{{ {}.get(ns.a) }}")),
        doubled("(1,)", "(ns.a, ns.a)", "{{ [ns.a] | unique | list }}"),
        doubled("[1]", "namespace(x=ns.a, y=ns.a)", "{{ ns.a }}"),
        doubled("[1]", "[ns.a, ns.a]", "{{ '{!r}'.format(ns.a) }}{{ [ns.a] == [ns.a[:]] }}"),
        "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}",
        "{% set a = 'x' * 3000000 %}{% set l = [a] * 99999 %}{{ (a ~ 'y')[1:] in (l | select) }}",
        "{{ ('a' * 3000000).strip('b' * 3000000 ~ 'a') }}",
        "{{ ('a' * 3000000).rfind('ab' ~ 'a' * 1000000) }}",
    ],
)
def test_loops_macros_and_nested_values_end_with_the_steps(template):
    assert_ends_with_the_steps(template)


def test_a_rendering_has_as_many_steps_as_it_is_said_to_have(registry):
    with pytest.raises(TemplateLimit) as raised:
        written(registry, often("1"))
    assert (raised.value.code, raised.value.limit) == ("template-limit", MAX_STEPS)


@pytest.mark.parametrize(
    "template",
    [
        *(doubled("'aaaa'", step) for step in ("ns.a + ns.a", "ns.a ~ ns.a", "ns.a * 2", "'%s%s' % (ns.a, ns.a)")),
        *(
            doubled("'aaaa'", step)
            for step in ("'{0}{0}'.format(ns.a)", "[ns.a, ns.a] | join", "'a'.join([ns.a, ns.a])")
        ),
        *(doubled("'aaaa'", step) for step in ("ns.a.replace('a', 'aa')", "ns.a | replace('a', 'aa')")),
        *(doubled("'aaaa'", step) for step in ("ns.a.translate({97: 'aaaa'})",)),
        doubled("[1]", "ns.a + ns.a"),
        doubled("[1]", "ns.a * 2"),
        "{{ 'a' * 999999999 }}",
        "{{ 999999999 * 'a' }}",
        "{{ [1] * 999999999 }}",
        "{{ 'a'.center(999999999) }}",
        "{{ 'a'.ljust(999999999) }}",
        "{{ 'a'.zfill(999999999) }}",
        "{{ ('\t' * 4000).expandtabs(99999) }}",
        "{{ (5).to_bytes(999999999, 'big') }}",
        "{{ 'a' | center(999999999) }}",
        "{{ ('a\n' * 9999) | indent(99999) }}",
        "{{ ('a\n' * 9999) | indent('x' * 9999) }}",
        "{{ range(99999) | join('x' * 9999) }}",
        "{{ ('a' * 3000000) | replace('a', 'b' * 99) }}",
        "{{ ('a' * 3000000).replace('', 'b' * 99) }}",
        "{{ [1] | batch(999999999, 0) | list }}",
        "{{ [1] | tojson(indent=999999999) }}",
        "{{ [1, 2] | tojson(indent='x' * 3000000) }}",
        "{{ range(9999) | list | tojson(separators=('x' * 3000, 'y')) }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '%*d' % (999999999, 1) }}",
        "{{ '%.999999999f' % 1.5 }}",
        "{{ '%.*f' % (999999999, 1.5) }}",
        "{{ '%(a)999999999d' % {'a': 1} }}",
        "{{ ('%999999999d' | safe) % 1 }}",
        "{{ '%999999999d' | format(1) }}",
        "{{ '%999999999d' is even }}",
        "{{ '%999999999d' is divisibleby(3) }}",
        "{{ '{:999999999}'.format(1) }}",
        "{{ ('{:999999999}' | safe).format(1) }}",
        "{{ '{:{}}'.format(1, 999999999) }}",
        "{{ '{:{w}}'.format(1, w=999999999) }}",
        "{{ '{:{w[0]}}'.format(1, w=[999999999]) }}",
        "{{ '{a:>999999999}'.format_map({'a': 1}) }}",
        "{{ '{:.999999999f}'.format(1.5) }}",
        "{% for i in range(99999) %}{{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }}{% endfor %}",
    ],
)
def test_no_text_or_list_grows_beyond_its_limit(registry, template):
    with pytest.raises(TemplateLimit) as raised:
        written(registry, template)
    assert (raised.value.code, raised.value.limit) == ("template-limit", MAX_LENGTH)


@pytest.mark.parametrize(
    ("template", "limit"),
    [
        ("{{ 9 ** 999999999 }}", MAX_BITS),
        (doubled("2", "ns.a * ns.a"), MAX_BITS),
        ("{{ " + "*".join(["0x" + "f" * 900] * 3) + " }}", MAX_BITS),
        ("{{ 1 | round(99999, 'ceil') }}", MAX_DECIMALS),
        ("{{ 1 | round(method='ceil', precision=99999) }}", MAX_DECIMALS),
        ("{{a}}" * 7_000, MAX_TEMPLATE_TOKENS),
        ("{{ 1" + "+1" * 11_000 + " }}", MAX_TEMPLATE_TOKENS),
        ("{{ [" + "1," * 11_000 + "] }}", MAX_TEMPLATE_TOKENS),
        ("{% if a %}{% endif %}" * 3000, MAX_TEMPLATE_TOKENS),
    ],
)
def test_numbers_and_source_code_are_bounded(registry, template, limit):
    with pytest.raises(TemplateLimit) as raised:
        written(registry, template)
    assert (raised.value.code, raised.value.limit) == ("template-limit", limit)


@pytest.mark.parametrize(
    "template",
    [
        "{{ lipsum() }}",
        "{{ messages[0].content | urlize }}",
        "{{ messages[0].content | striptags }}",
        "{{ messages[0].content | wordwrap }}",
        "{{ messages | pprint }}",
        "{{ messages[0].content.encode('idna') }}",
        "{{ '%((a))9d' % {'(a)': 1} }}",
        "{{ 'a' | round(9, 'ceil') }}",
        "{{ 0x" + "f" * 90_000 + " }}",
        "{{ range(999999999) }}",
        "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ " + "a.b" * 500 + ("[" * 500) + " }}",
        "{{ 'a'" + " | e" * 2000 + " }}",
        "{% extends 'a' %}",
        "{% import 'a' as b %}",
    ],
)
def test_what_is_not_there_or_too_deep_is_refused(registry, template):
    with pytest.raises(BadTemplate):
        written(registry, template)


PLAIN = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)


@pytest.mark.parametrize(
    "expression",
    [
        *("1 < 2 < 3", "1 < 2 > 5 < nothing.x", "2 in [1, 2] == true"),
        *("'b' not in 'abc'", "'a' in {'a': 1}", "() == []"),
        *("'abcdef'[1:4]", "'abcdef'[::-2]", "[1, 2, 3][-2:]", "(1, 2, 3)[:1]"),
        *("{'a': 1, 2: [3]}", "{}", "[{'a': 'b'}]"),
        *("'a' ~ 1 ~ none ~ [1]", "7 // 2 - 7 / 2", "2 ** 10 % 7"),
        *("-3 + +3", "'%s-%03d' % ('a', 7)", "'%(a)s' % {'a': 'é'}"),
        *("'{:>5}|{x!r}'.format(1, x='a')", "'{a}'.format_map({'a': 1})", "('<' | e) ~ '>'", "'%s' | format('<')"),
        *("[3, 1, 2] | sort(reverse=true)", "'a,b'.split(',') | join('-')"),
        *("[1, 1, 2] | unique | list", "'abc' | reverse"),
        *("[{'r': 1}, {'r': 2}] | selectattr('r', '>', 1) | list", "[{'r': 1}] | map(attribute='r') | sum"),
        *("[{'r': 'b'}, {'r': 'a'}] | groupby('r')", "[[1], [2]] | sum(start=[])"),
        *("'a b' | title", "{'b': 1, 'a': 2} | dictsort"),
        *("range(7) | batch(3, 0) | list", "range(7) | slice(3) | list", "3.7 | round | int", "'x\ny' | indent(2)"),
        *("' x '.strip()", "'aXa'.replace('a', 'b', 1)", "'a\tb'.expandtabs(4)"),
        *("'é'.encode()", "'ab'.translate({97: 'c'})"),
        *("'abc'.partition('b')", "'a' | center(5)", "nothing | default('d')"),
        *("nothing is defined", "3 is divisibleby 3"),
        *("[1, 2] | max", "'5' | int + 1", "dict(a=1).items() | list", "'hello world' | truncate(8)", "'a' is lower"),
        *("loop", "1 if false", "'a' 'b'", "[1, 2] | first"),
        *("cycler('a', 'b').next()", "true and 0 or 'x'", "not 1 == 2"),
    ],
)  # fmt: skip
def test_operations_give_what_jinja_gives(registry, expression):
    template = f"{{% set x = {expression} %}}{{{{ x }}}}{{% if x %}}+{{% endif %}}"
    assert written(registry, template) == PLAIN.from_string(template).render()


def test_a_template_that_says_where_its_text_comes_from_has_no_more_steps(registry):
    template = (
        "{% set ns = namespace(a='') %}{% for i in range(1000) %}{% set ns.a = ns.a ~ 'a' ~ messages[0].content %}"
    )
    rendering = render(
        registry, "gpt2", Conversation(SAID, template=template + "{% endfor %}{{ ns.a }}"), attributed=True
    )
    assert rendering.text == "acorrect horse" * 1000
    assert [origin for _, origin in rendering.origins] == [None]


def test_a_template_may_be_only_so_long(registry):
    assert written(registry, "a" * MAX_TEMPLATE_LENGTH) == "a" * MAX_TEMPLATE_LENGTH
    with pytest.raises(TemplateLimit, match="100,000"):
        written(registry, "a" * (MAX_TEMPLATE_LENGTH + 1))
    with pytest.raises(BadTemplate):
        written(registry, "{{ " + "(" * 30_000 + ")" * 30_000 + " }}")


def test_a_long_conversation_is_within_the_limits(registry):
    messages = [{"role": role, "content": "a" * 900} for _ in range(500) for role in ("user", "assistant")]
    text = render(registry, "mistral-v3", Conversation(messages), attributed=True).text
    assert 900_000 < len(text) < MAX_LENGTH


def test_our_templates_say_why_they_refuse_and_others_only_where(registry):
    with pytest.raises(BadTemplate, match="roles system, user, assistant and tool"):
        render(registry, "mistral-v3", Conversation([{"role": "critic", "content": ""}]))
    with pytest.raises(BadTemplate) as raised:
        written(registry, "\n{{ raise_exception(messages[0].content) }}")
    assert raised.value.detail == "The template refuses this conversation in line 2."


def test_without_a_template_there_is_nothing_to_render(registry):
    for id in ("bert-base-uncased", "r50k_base", "cl100k_base", "o200k_base"):
        with pytest.raises(Invalid, match="no chat template"):
            render(registry, id, Conversation(SAID))


@pytest.mark.parametrize("messages", [[], [{"role": "user"}], [{"role": "user", "content": None}]])
def test_a_final_message_without_a_text_cannot_be_continued(registry, messages):
    for template in ("{{ messages }}", None):
        conversation = Conversation(
            messages, continue_final_message=True, add_generation_prompt=False, template=template
        )
        with pytest.raises(Invalid, match="final message"):
            render(registry, "mistral-v3", conversation)


def test_contents_in_parts_are_joined_unless_the_template_reads_parts(registry):
    parts = [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]
    assert written(registry, "{{ messages[0].content }}", parts) == "a\nb"
    reads = "{% for m in messages %}{% for part in m['content'] %}{{ part.text }}|{% endfor %}{% endfor %}"
    assert written(registry, reads, parts) == "a|b|"
    with pytest.raises(Invalid, match="no text"):
        written(registry, "{{ messages[0].content }}", [{"role": "user", "content": [{"type": "image"}]}])


def test_what_goes_to_a_worker_and_comes_back_can_be_sent(registry):
    conversation = Conversation(SAID, now=datetime(2025, 1, 2))
    assert pickle.loads(pickle.dumps(conversation)) == conversation
    rendering = render(registry, "o200k_harmony", conversation, attributed=True)
    again = pickle.loads(pickle.dumps(rendering))
    assert (again, type(again.text)) == (rendering, str)
    with pytest.raises(BadTemplate) as raised:
        written(registry, "{{")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.detail, again.pointer) == (raised.value.detail, "/chat_template")
