"""A folder as published, converted and talked to: `kuiper chat` and `run --task write` say what transformers says."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("jinja2", reason="templates are Jinja's, which is not installed")

from typer.testing import CliRunner, Result

import kuiper
from kuiper.cli import app
from kuiper.text import load_vocabulary, read_byte_pairs
from kuiper.text.chat import Reader
from kuiper.text.template import read_template

STORED = Path(__file__).resolve().parents[1] / "text" / "stored"
VOCABULARY = 430  # nine more than the tokenizer has: tables are padded
END = 2
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def call(*arguments: object, typed: str = "", code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)), input=typed, env={"NO_COLOR": "1", "COLUMNS": "200"})
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def beside(folder: Path, **changed: Any) -> None:
    """Write the files of a tokenizer and of a chat; None leaves one out."""
    config = {"chat_template": TEMPLATE, "bos_token": "<s>", "eos_token": "<|im_end|>",
              "tokenizer_class": "PreTrainedTokenizerFast"}  # fmt: skip
    files = {"tokenizer_config.json": config, "generation_config.json": {"eos_token_id": [END, 421]}, **changed}
    shutil.copy(STORED / "tokenizer.json", folder)
    for name, values in files.items():
        if values is not None:
            (folder / name).write_text(json.dumps(values), encoding="utf-8")


@pytest.fixture(scope="module")
def source(publish_in: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published Llama whose vocabulary is the stored tokenizer's."""
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": VOCABULARY, "hidden_size": 32,
        "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "hidden_act": "silu", "rms_norm_eps": 1e-5, "max_position_embeddings": 512, "rope_theta": 1e4,
        "eos_token_id": END,
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("published") / "network"
    published = publish_in(folder, config)
    weights = dict(published.weights)
    weights["lm_head.weight"][len(read_byte_pairs(STORED / "tokenizer.json")) :] = (
        0  # what no token has is never likely
    )
    publish_in(folder, config, weights=weights)
    beside(folder)
    return folder


@pytest.fixture(scope="module")
def network(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that convert wrote."""
    target = tmp_path_factory.mktemp("converted") / "out"
    call("convert", source, "--output", target)
    return target


@pytest.fixture(scope="module")
def theirs(source: Path) -> tuple[Any, Any, Any]:
    """torch, transformers' network and its tokenizer."""
    torch = pytest.importorskip("torch", reason="compares with transformers, which needs torch")
    transformers = pytest.importorskip("transformers", reason="compares with transformers, which is not installed")
    network = transformers.AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32).eval()
    return torch, network, transformers.AutoTokenizer.from_pretrained(source)


def generated(theirs: tuple[Any, Any, Any], words: list[int], count: int) -> list[int]:
    """transformers' greedy continuation."""
    torch, network, _ = theirs
    options = {"max_new_tokens": count, "do_sample": False, "pad_token_id": 0}
    with torch.inference_mode():
        found = network.generate(torch.tensor([words]), attention_mask=torch.ones(1, len(words)), **options)
    return found[0, len(words) :].tolist()


# converting


def test_convert_copies_what_a_chat_needs_and_says_what_it_costs(source: Path, tmp_path: Path) -> None:
    (source / "notes.txt").write_text("not needed")
    result = call("convert", source, "--output", tmp_path / "out", "--context", 100)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {
        "network.pnnx.param", "network.pnnx.bin", "kuiper.json",
        "tokenizer.json", "tokenizer_config.json", "generation_config.json",
    }  # fmt: skip
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        assert (tmp_path / "out" / name).read_bytes() == (source / name).read_bytes()
    assert json.loads((tmp_path / "out" / "kuiper.json").read_text()) == {
        "context": 100,
        "positions": 512,
        "stop": [END],
    }
    said = " ".join(result.stdout.split())
    assert "100 of 512 tokens; keys and values take 25.0 KiB" in said  # 2 x 2 layers x 2 heads x 8 x 100 x 4 bytes
    assert f"kuiper chat {tmp_path / 'out'}" in said
    assert not result.stderr


def test_the_usual_context_is_what_the_network_was_made_for(network: Path) -> None:
    assert json.loads((network / "kuiper.json").read_text())["context"] == 512


def test_a_context_beyond_what_the_network_was_made_for_is_refused(source: Path, tmp_path: Path) -> None:
    result = call("convert", source, "--output", tmp_path / "out", "--context", 513, code=2)
    assert "context: expected 1 to 512 tokens (max_position_embeddings)" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("tokenizer.json", b"version https://git-lfs.github.com/spec/v1\n", "as a JSON object"),
        ("generation_config.json", b"[]", "found a list"),
        ("chat_template.jinja", b"\xff", "a template in UTF-8"),
    ],
)
def test_damaged_files_beside_the_weights_are_refused_at_once(
    source: Path, tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    folder = shutil.copytree(source, tmp_path / "network")
    (folder / name).write_bytes(data)
    result = call("convert", folder, code=2)
    assert name in result.stderr
    assert words in result.stderr
    assert not list(folder.glob("*.pnnx.*"))


def test_without_a_tokenizer_the_graph_is_written_and_the_lack_is_said(source: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(source, tmp_path / "network")
    (folder / "tokenizer.json").unlink()
    result = call("convert", folder)
    assert "no tokenizer.json beside the weights" in result.stderr
    result = call("chat", folder, typed="hi\n", code=2)
    assert "expected tokens.json or tokenizer.json beside the network, found neither" in result.stderr


# talking


@pytest.mark.slow
def test_answers_are_those_of_transformers(network: Path, theirs: tuple[Any, Any, Any]) -> None:
    tokenizer = theirs[2]
    result = call("chat", network, "--system", "be brief", "--temperature", 0, "--tokens", 20, "--engine", "simple",
                  typed="Hello there\n\nПривет, мир! 👍🏽\r\nthe list\n")  # fmt: skip
    talk, answers = [{"role": "system", "content": "be brief"}], []
    for message in ("Hello there", "Привет, мир! 👍🏽", "the list"):
        talk.append({"role": "user", "content": message})
        encoded = tokenizer.apply_chat_template(talk, add_generation_prompt=True, return_dict=True)
        assert load_vocabulary(network).encode(read_template(network).render([talk])[0]) == encoded["input_ids"]
        found = generated(theirs, encoded["input_ids"], 20)
        answers.append(tokenizer.decode(found, skip_special_tokens=True))
        talk.append({"role": "assistant", "content": answers[-1]})
    control = {code: chr(0x2400 + code) for code in range(32) if code not in (9, 10)} | {127: "\u2421"}
    control |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
    assert result.stdout == "".join(answer.translate(control) + "\n" for answer in answers)
    assert re.search(
        r"read \d+ tokens in .* \(\d+ more were kept from before\); wrote [1-9]\d+ in .*tokens/s", result.stderr
    )


@pytest.mark.parametrize("engine", ["fast", "auto"])
def test_a_long_text_gives_the_same_scores_with_plans_and_without(network: Path, engine: str) -> None:
    words = np.random.default_rng(4).integers(0, 420, 280).tolist()
    found = []
    for one in ("simple", engine):
        reader = Reader(kuiper.load(network / "network.pnnx.param", engine=one), 400)
        rows = [reader.read(words[:245]), *(reader.append([word]) for word in words[245:])]
        rows.append(reader.read([*words[:250], 7, 8, 9]))
        assert reader.kept == 250
        found.append(np.array(rows))
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-4 * np.abs(found[0]).max())


def test_without_the_library_answers_are_the_same(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--tokens", 12, "--seed", 3, "--temperature", 1, "--top-k", 40, "--top-p", 0.9, "--engine", "simple")
    first = call("chat", network, *options, typed="It's 1234\n").stdout
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "tokenizers" else find_spec(name))
    assert call("chat", network, *options, typed="It's 1234\n").stdout == first
    assert call("chat", network, *options[:2], "--seed", 4, *options[4:], typed="It's 1234\n").stdout != first


def test_writing_goes_on_as_transformers_does(network: Path, theirs: tuple[Any, Any, Any]) -> None:
    tokenizer = theirs[2]
    words = tokenizer("The function returns")["input_ids"]
    found = generated(theirs, words, 15)
    result = call("run", network, "--task", "write", "--prompt", "The function returns", "--tokens", 15,
                  "--temperature", 0, "--engine", "simple")  # fmt: skip
    assert result.stdout == "The function returns" + tokenizer.decode(found, skip_special_tokens=True) + "\n"
    assert f"note: {len([token for token in found if token not in (END, 421)])} tokens in" in result.stderr


def test_a_stop_token_ends_the_answer(network: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(network, tmp_path / "stops")
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": list(range(421))}))
    result = call("chat", folder, "--engine", "simple", typed="Hello\n")
    assert result.stdout == "\n"
    assert "wrote" not in result.stderr


def test_the_makers_choice_is_the_usual_one(network: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(network, tmp_path / "greedy")
    (folder / "generation_config.json").write_text(json.dumps({"do_sample": False}))
    found = call("chat", folder, "--tokens", 9, "--engine", "simple", typed="Hello\n").stdout
    assert (
        found == call("chat", network, "--tokens", 9, "--temperature", 0, "--engine", "simple", typed="Hello\n").stdout
    )
    assert found != call("chat", network, "--tokens", 9, "--engine", "simple", typed="Hello\n").stdout


@pytest.mark.slow
def test_a_full_context_is_said(network: Path) -> None:
    result = call(
        "chat", network, "--context", 60, "--tokens", 16, "--engine", "simple", typed="Hello\nthere\nthe list\n"
    )
    assert "the context of 60 tokens is full: the 2 oldest messages are forgotten" in result.stderr
    assert "cut off after 16 tokens; --tokens allows more" in result.stderr
    result = call("chat", network, "--context", 30, "--engine", "simple", typed="Hello\n")
    assert "cut off: the context of 30 tokens is full" in result.stderr
    result = call("chat", network, "--context", 30, "--engine", "simple", typed="Hello " * 30 + "\n", code=2)
    assert "message: expected at most 30 tokens" in result.stderr


def test_without_a_template_the_text_goes_on(network: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(network, tmp_path / "plain")
    (folder / "tokenizer_config.json").unlink()
    options = ("--tokens", 12, "--temperature", 0, "--engine", "simple")
    result = call("chat", folder, *options, typed="The function returns\n")
    assert "no chat template beside the network" in result.stderr
    task = ("--task", "write", "--prompt", "The function returns")
    written = call("run", folder, *task, *options).stdout
    assert written.startswith("The function returns")
    assert len(result.stdout) > 5
    assert re.sub("[\u2400-\u2421]", "?", result.stdout) == re.sub("[\0-\x08\x0b-\x1f\x7f]", "?", written[20:])


def test_what_does_not_fit_is_explained(source: Path, network: Path, tmp_path: Path) -> None:
    hostile = shutil.copytree(network, tmp_path / "hostile")
    (hostile / "chat_template.jinja").write_text("{{ ''.__class__.__mro__ }}")
    unigram = shutil.copytree(network, tmp_path / "unigram")
    (unigram / "tokenizer.json").write_text("{}")
    wrong = shutil.copytree(network, tmp_path / "wrong")
    (wrong / "kuiper.json").write_text('{"context": 0}')
    cases: dict[str, tuple[object, ...]] = {
        f"first: kuiper convert {source}": (source,),
        "chat_template.jinja: expected a template that makes a text of the conversation; it reaches for": (hostile,),
        "tokenizer.json: expected": (unigram,),
        "kuiper.json: expected context: a whole number": (wrong,),
        "expected 1 to 512 tokens": (network, "--context", 513),
        "found no such file": (tmp_path / "nowhere",),
        "--engine is one of": (network, "--engine", "warp"),
        "top p: expected a number above 0": (network, "--top-p", 0),
    }
    for expected, typed in cases.items():
        result = call("chat", *typed, typed="hi\n", code=2)
        assert expected in " ".join(result.stderr.replace("│", " ").split()), result.stderr


def test_no_messages_are_no_error(network: Path) -> None:
    result = call("chat", network, typed="\n  \n")
    assert (result.stdout, result.stderr) == ("", "")


def test_the_writer_of_the_course_can_be_talked_to() -> None:
    writer = Path(__file__).resolve().parents[2] / "models" / "writer"
    result = call("chat", writer, "--tokens", 6, "--temperature", 0, "--engine", "simple", typed="The class\n")
    assert result.stdout.startswith(" definition")


# a person at a terminal


class Terminal:
    """`kuiper chat` in a terminal of its own, whose person types and presses Ctrl-C."""

    def __init__(self, *arguments: object) -> None:
        pty = pytest.importorskip("pty", reason="terminals of this kind are Unix's")
        main, other = pty.openpty()
        command = [sys.executable, "-m", "kuiper", "chat", *map(str, arguments)]
        environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1"}
        root = Path(__file__).resolve().parents[2]
        streams = {"stdin": other, "stdout": other, "stderr": other}
        self.process = subprocess.Popen(command, **streams, env=environment, cwd=root, start_new_session=True)
        os.close(other)
        self.main, self.seen = main, ""

    def type(self, text: str) -> None:
        os.write(self.main, text.encode())

    def wait_for(self, words: str, seconds: float = 300) -> None:
        until = time.monotonic() + seconds
        while words not in self.seen:
            assert time.monotonic() < until, self.seen
            if select.select([self.main], [], [], 0.2)[0]:
                try:
                    data = os.read(self.main, 4096)
                except OSError:  # the program has ended
                    data = b""
                assert data, self.seen
                self.seen += data.decode("utf-8", "replace")
        self.seen = self.seen.split(words, 1)[1]

    def press_ctrl_c(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def press_ctrl_c_until(self, words: str) -> None:
        """The prompt is there a moment before the program listens: who sees nothing happen presses again."""
        for _ in range(10):
            time.sleep(0.5)
            self.press_ctrl_c()
            with contextlib.suppress(AssertionError):
                return self.wait_for(words, 20)
        raise AssertionError(self.seen)

    def end(self) -> int:
        try:
            return self.process.wait(300)
        finally:
            self.process.kill()
            os.close(self.main)


@pytest.mark.slow
def test_ctrl_c_stops_the_answer_and_then_the_program(source: Path, tmp_path: Path) -> None:
    endless = 20_000  # half a minute or more of writing on any machine, for no token ends the answer
    published = shutil.copytree(source, tmp_path / "published")
    config = json.loads((published / "config.json").read_text(encoding="utf-8"))
    config |= {"max_position_embeddings": endless, "eos_token_id": None}
    (published / "config.json").write_text(json.dumps(config), encoding="utf-8")
    beside(published, **{"tokenizer_config.json": {"chat_template": TEMPLATE}, "generation_config.json": {}})
    network = tmp_path / "endless"
    call("convert", published, "--output", network, "--context", endless)
    settings = ["--temperature", 1, "--engine", "simple"]
    terminal = Terminal(network, "--tokens", endless, "--context", endless, *settings)
    try:
        terminal.wait_for("> ")
        terminal.type("Hello\n")
        terminal.wait_for("Hello\r\n")
        terminal.wait_for("e")  # the answer has begun
        terminal.press_ctrl_c()
        terminal.wait_for("stopped")
        terminal.wait_for("> ")
        terminal.type("\x04")
        terminal.wait_for("tokens/s")
    finally:
        code = terminal.end()
    assert code == 0


@pytest.mark.slow
def test_an_error_ends_the_answer_and_not_the_program(network: Path) -> None:
    terminal = Terminal(network, "--tokens", 5, "--temperature", 0, "--engine", "simple", "--context", 40)
    try:
        terminal.wait_for("> ")
        terminal.type("Hello " * 30 + "\n")
        terminal.wait_for("message: expected at most 40 tokens")
        terminal.wait_for("> ")
        terminal.type("Hello\n")
        terminal.wait_for("cut off after 5 tokens")
        terminal.wait_for("> ")
        terminal.press_ctrl_c_until("tokens/s")
    finally:
        code = terminal.end()
    assert code == 0


@pytest.mark.parametrize("presses", [1, 2])
def test_the_second_ctrl_c_during_an_answer_ends_the_program(presses: int) -> None:
    from kuiper.cli.chat import Interrupts

    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    with interrupts.during_answer():
        assert not interrupts.is_stopped()
        signal.raise_signal(signal.SIGINT)
        assert interrupts.is_stopped()
        if presses == 2:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with interrupts.during_answer():
        assert not interrupts.is_stopped()
