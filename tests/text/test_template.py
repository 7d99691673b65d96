"""Templates of chats: texts as transformers makes them; programs that mean ill end in one sentence, and soon."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError, ModelFormatError
from kuiper.text import renderer, template
from kuiper.text.template import ChatTemplate, read_template

STORED = Path(__file__).parent / "stored"
needs_jinja = pytest.mark.skipif(
    importlib.util.find_spec("jinja2") is None, reason="templates are Jinja's, which is not installed"
)
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
QWEN = """{%- if messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
LLAMA = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start|>system\\n\\nToday Date: " + date_string + "\\n\\n" + system_message + "<|im_end|>" }}
{%- if tools is not none %}{{ raise_exception("no tools") }}{% endif %}
{% for message in messages %}
    {%- if message.role not in ['user', 'assistant'] %}{{ raise_exception('unknown role ' ~ message.role) }}{% endif %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
    {%- endif %}
    {{- '<|start|>' + message['role'] + '\\n\\n' + message['content'] | trim + '<|im_end|>' }}
    {% if message.role == 'never' %}{% break %}{% endif %}{% generation %}{% set x = 1 %}{{ x }}{% endgeneration %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start|>assistant\\n\\n' }}
{%- endif %}
"""
TEMPLATES = {
    "chatml": CHATML,
    "qwen": QWEN,
    "llama": LLAMA,
    "blocks": "  {% if true %}\n a \n  {% endif %}\n{# x #}\n{{ messages|tojson }}\n{{ messages[0]|tojson(indent=2) }}",
    "filters": "{% set ns = namespace(n=0) %}{% for m in messages if m.role == 'user' %}{% set ns.n = ns.n + 1 %}"
    "{% endfor %}{{ ns.n }}{{ messages[-1].content.split('a')|join('-') }}{{ eos_token }}{{ pad_token is defined }}",
}
CONTENT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TALK = st.tuples(st.none() | CONTENT, st.lists(st.tuples(CONTENT, CONTENT), max_size=2), CONTENT)


def conversation(talk: tuple[str | None, list[tuple[str, str]], str]) -> list[dict[str, str]]:
    system, turns, last = talk
    found = [] if system is None else [{"role": "system", "content": system}]
    for asked, answered in turns:
        found += [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
    return [*found, {"role": "user", "content": last}]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """transformers' tokenizer of the stored files."""
    transformers = pytest.importorskip("transformers", reason="compares with transformers, which is not installed")
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "tokenizer.json").write_bytes((STORED / "tokenizer.json").read_bytes())
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return transformers.AutoTokenizer.from_pretrained(folder)


@pytest.mark.slow
@needs_jinja
@pytest.mark.parametrize("name", TEMPLATES)
@settings(max_examples=4)
@given(talks=st.lists(TALK, min_size=30, max_size=30))
def test_texts_are_those_of_transformers(theirs: Any, name: str, talks: list[Any]) -> None:
    conversations = [conversation(talk) for talk in talks]
    found = ChatTemplate(TEMPLATES[name], {"bos_token": "<s>", "eos_token": "<|im_end|>"}).render(conversations)
    for text, one in zip(found, conversations):
        options = {"chat_template": TEMPLATES[name], "add_generation_prompt": True, "tokenize": False}
        assert text == theirs.apply_chat_template(one, **options)


@needs_jinja
def test_a_template_knows_the_day() -> None:
    text = "{{ strftime_now('%Y') }}"
    assert ChatTemplate(text, {}).render([[{"role": "user", "content": "a"}]]) == [time.strftime("%Y")]


# programs that mean ill

HOSTILE = {
    "no end": ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "takes more than"),
    "a range too long": ("{% for i in range(10**9) %}{% endfor %}", "Range too big"),
    "much text": ("{% for i in range(99999) %}{{ 'x' * 9999 }}{% endfor %}", "at most 4194304 characters"),
    "one long text": ("{{ 'x' * 10**12 }}", "takes more than 512 MiB"),
    "a text that grows": (
        "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "takes more than 512 MiB",
    ),
    "a wide number": ("{{ '%999999999999d' % 1 }}", "template"),
    "a great power": ("{{ 9 ** (9 ** (9 ** 9)) }}", "takes more than|template"),
    "calls without end": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "calls itself without end|takes more"),
    "many calls": (
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
        "more",
    ),
    "classes": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "may not touch"),
    "globals": ("{{ raise_exception.__globals__['json'] }}", "may not touch"),
    "code": ("{{ raise_exception.__code__.co_consts }}", "may not touch"),
    "format": ("{{ '{0.__class__.__mro__}'.format(1) }}", "may not touch"),
    "format_map": ("{{ '{x.__class__.__mro__}'.format_map({'x': 1}) }}", "may not touch"),
    "attr": ("{{ (''|attr('__class__')).__mro__ }}", "may not touch|undefined"),
    "a message changed": ("{{ messages.append(1) }}", "may not touch"),
    "an import": ("{% import 'os' as os %}", "no loader"),
    "an include": ("{% include '/etc/passwd' %}", "no loader"),
    "syntax": ("{% for %}", "line 1: "),
    "a refusal": ("{{ raise_exception('no') }}", "it refuses the conversation: no"),
    "an error": ("{{ 1 // 0 }}", "division"),
    "an unknown filter": ("{{ 1|shell }}", "No filter named 'shell'"),
    "nothing of the kind": ("{{ messages.nothing.of_the_kind }}", "no attribute"),
}

ENDLESS = {"no end", "many calls", "a great power"}


@needs_jinja
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in ENDLESS)) for name in HOSTILE])
@pytest.mark.skipif(sys.platform == "win32", reason="no limits of memory and time there but the parent's")
def test_a_template_that_means_ill_ends_in_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, words = HOSTILE[name]
    started = time.monotonic()
    with pytest.raises(KuiperError, match=words) as caught:
        ChatTemplate(text, {}, "file").render([[{"role": "user", "content": "a"}]])
    assert str(caught.value).startswith("file: expected a template that makes a text of the conversation; ")
    assert len(str(caught.value)) < 700
    assert time.monotonic() - started < renderer.SECONDS + template.START_SECONDS


@needs_jinja
def test_time_is_up_even_for_a_process_that_sleeps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(renderer, "__file__", str(sleeper))
    monkeypatch.setattr(renderer, "SECONDS", 0)
    monkeypatch.setattr(template, "START_SECONDS", 0.5)
    with pytest.raises(KuiperError, match="takes more than 0 seconds"):
        ChatTemplate("", {}).render([[]])


def test_without_jinja_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert renderer.answer({}) == {"missing": "jinja2"}
    other = tmp_path / "other.py"
    other.write_text('print(\'{"missing": "jinja2"}\')\n')
    monkeypatch.setattr(renderer, "__file__", str(other))
    with pytest.raises(KuiperError, match=r'a chat template needs jinja2: pip install -e "\.\[llm\]"'):
        ChatTemplate("", {}).render([[]])


@needs_jinja
def test_an_old_sandbox_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "3.1.5")
    assert renderer.answer({}) == {"missing": "jinja2 3.1.6 or later"}


FRAGMENTS = [
    "{{", "}}", "{%", "%}", "{#", "#}", "messages", "[0]", ".content", "|tojson", "|join", "|attr('x')", "for m in ",
    "endfor", "if ", "endif", "set x = ", "set ", "x", "'a'", "1", " + ", " * 9", " ~ ", "(", ")", "namespace(n=1)",
    "loop.index", "raise_exception('no')", "strftime_now('%Y')", "generation", "endgeneration", "break", "macro f()",
    "endmacro", "f()", "bos_token", "dict", "cycler", "lipsum(99)", "\ud800", "\0", "\n", "-", "é", "__class__",
]  # fmt: skip


@pytest.mark.slow
@needs_jinja
@settings(max_examples=300)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_any_template_gives_a_text_or_an_error(text: str) -> None:
    asked = {"template": text, "values": {}, "conversations": [[{"role": "user", "content": "a"}]], "most": 1000}
    answered = json.loads(json.dumps(renderer.answer(asked)))
    assert answered.keys() in ({"texts"}, {"error"})
    if "texts" in answered:
        assert len(answered["texts"][0]) <= 1000


# files


def write(folder: Path, config: object = None, jinja: bytes | None = None) -> Path:
    if config is not None:
        (folder / "tokenizer_config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    if jinja is not None:
        (folder / "chat_template.jinja").write_bytes(jinja)
    return folder


def test_the_template_is_found_where_it_stands(tmp_path: Path) -> None:
    assert read_template(tmp_path) is None
    special = {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}, "pad_token": None}
    assert read_template(write(tmp_path, special)) is None
    found = read_template(write(tmp_path, {**special, "chat_template": "x"}))
    assert (found.text, found.special) == ("x", {"bos_token": "<s>", "eos_token": "</s>"})
    several = [{"name": "tool_use", "template": "y"}, {"name": "default", "template": "z"}]
    assert read_template(write(tmp_path, {"chat_template": several})).text == "z"
    assert read_template(write(tmp_path, {"chat_template": "x"}, "é".encode())).text == "é"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"chat_template": 3}, "chat_template: a text, found 3"),
        ({"chat_template": {}}, "chat_template: a text, found an object"),
        ({"chat_template": ["x"]}, "chat_template: a list of objects"),
        ({"chat_template": [{"name": "rag", "template": "x"}]}, "one named 'default', found 'rag'"),
        ({"chat_template": [{"name": "default"}]}, r"chat_template\[0\].template: a text, found nothing"),
        ({"eos_token": 3}, "eos_token: a text, found 3"),
        ({"eos_token": {"text": "x"}}, "eos_token.content: a text, found nothing"),
        ("{", "settings of a tokenizer as a JSON object"),
    ],
)
def test_settings_of_another_type_are_refused(tmp_path: Path, config: object, words: str) -> None:
    with pytest.raises(ModelFormatError, match=words):
        read_template(write(tmp_path, config))


def test_a_template_is_a_short_text(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=r"a template in UTF-8, found .* at byte 1"):
        read_template(write(tmp_path, jinja=b"a\xff"))
    with pytest.raises(ModelFormatError, match="the template of a chat in at most 1048576 bytes, found 1048577"):
        read_template(write(tmp_path, jinja=b"a" * (template.LARGEST_TEMPLATE + 1)))
