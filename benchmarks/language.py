"""Language models of the sizes that people run, beside torch, transformers and llama.cpp: speed and memory.

`python -m benchmarks.language` makes two folders as Hugging Face publishes them, with random weights, has kuiper
convert them, and writes LANGUAGE.md. A network's speed does not depend on what its weights say. It takes torch,
transformers and, for llama.cpp, llama-cpp-python and gguf; who is not installed is named and left out.

Everyone has a process of its own. They take turns: the same prompt is read, then the same tokens one by one, a few in a
turn. Scores are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import kuiper
from benchmarks.networks import CACHE
from kuiper.compiled import llvm
from kuiper.convert import convert
from kuiper.peers import largest_difference, until_idle
from kuiper.profile import processor, usable_cores
from kuiper.profile.hardware import peak_memory
from kuiper.text.cache import Cache
from kuiper.text.cache import read as kuiper_read
from kuiper.text.head import last_scores

RESULTS = Path(__file__).resolve().parent / "LANGUAGE.md"
HEAD = """# Language models

Written by `python -m benchmarks.language`. The shapes of SmolLM2-135M and Qwen2.5-0.5B with random weights, one text, a
token at a time; everyone in a process of its own, in turns. "kuiper / it" is kuiper's speed divided by the other's with
weights of the same kind: above 1, kuiper writes faster. It computes as `kuiper chat` does, with its machine code on
disk. Memory is the most that a process took beyond its libraries, LLVM among them, whose pages come into memory as they
are needed; the rest of it, without the cache of keys and values, is compared with the weights: also at kuiper's first
start, where the layers compute until machine code has been made. Scores are compared with kuiper's in float32.
"""
PROMPT, STEPS, SEED = 128, 8, 20
PATIENCE = 1200.0
"""Seconds after which a process that does not answer is given up."""
Read = Callable[[Sequence[int]], np.ndarray]
"""Further tokens of a text -> the scores of what follows the last; nothing -> a new text begins."""
LLAMA = {
    "model_type": "llama", "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "max_position_embeddings": 8192, "rope_theta": 1e5,
    "rms_norm_eps": 1e-5, "tie_word_embeddings": True,
}  # fmt: skip
QWEN = {
    "model_type": "qwen2", "vocab_size": 151936, "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
    "num_attention_heads": 14, "num_key_value_heads": 2, "max_position_embeddings": 32768, "rope_theta": 1e6,
    "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
}  # fmt: skip
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "smollm2": ("SmolLM2-135M", LLAMA),
    "qwen2.5": ("Qwen2.5-0.5B", QWEN),
}
"""Name -> title, and the settings as the published config.json has them."""


def publish(folder: Path, settings: dict[str, Any]) -> Path:
    """A folder with config.json and model.safetensors in bfloat16, as transformers writes it, unless it is there."""
    if not (folder / "model.safetensors").exists():
        import torch
        import transformers

        torch.manual_seed(SEED)
        config = transformers.AutoConfig.for_model(**settings)
        transformers.AutoModelForCausalLM.from_config(config).to(torch.bfloat16).save_pretrained(folder)
    return folder


def words(settings: dict[str, Any]) -> list[int]:
    """What everyone reads."""
    return [int(word) for word in np.random.default_rng(SEED).integers(0, settings["vocab_size"], 4096)]


@dataclass(frozen=True)
class Contestant:
    """Who computes, with weights of what kind: `open` gives its Read in the process where it is called."""

    name: str
    kind: str
    folder: Path
    settings: dict[str, Any] = field(repr=False)
    threads: int
    room: int
    open: Callable[[Contestant], Read]


def of_kuiper(who: Contestant) -> Read:
    """As `kuiper chat` computes. Another process makes the machine code; passes wait for it, but for the first."""
    graph = kuiper.load(next(who.folder.glob("*.pnnx.param")), engine="auto", threads=who.threads, revise=last_scores)
    cache = Cache.of(graph, who.room)
    known: set[int] = set()

    def read(tokens: Sequence[int]) -> np.ndarray:
        if not tokens:
            cache.count = 0
            return np.empty(0)
        inputs = np.array([tokens]), cache.keys, cache.values, np.array([cache.count])
        until = time.monotonic() + PATIENCE / 2
        ready = partial(graph.prepare, *inputs, only_code=True, into=cache.places(len(tokens)))
        while len(tokens) in known and not ready() and time.monotonic() < until:
            time.sleep(0.05)
        known.add(len(tokens))
        return kuiper_read(graph, tokens, cache)

    return read


def of_torch(who: Contestant) -> Read:
    """The same graph in eager mode, an operator after the other."""
    import torch

    from kuiper import pnnx
    from kuiper.peers.torch_network import torch_network

    torch.set_num_threads(who.threads)
    graph = pnnx.read(next(who.folder.glob("*.pnnx.param")))
    network = torch_network(graph)
    cache = Cache.of(kuiper.load(next(who.folder.glob("*.pnnx.param")), engine="simple"), who.room)
    keys, values = torch.from_numpy(cache.keys), torch.from_numpy(cache.values)

    def read(tokens: Sequence[int]) -> np.ndarray:
        if not tokens:
            cache.count = 0
            return np.empty(0)
        used = max(1, cache.count)
        earlier = keys[:, :, :, :used], values[:, :, :, :used]
        with torch.inference_mode():
            logits, k, v = network(torch.tensor([list(tokens)]), *earlier, torch.tensor([cache.count]))
        cache.append(k.numpy(), v.numpy())
        return np.asarray(logits[0, -1])

    return read


def of_transformers(who: Contestant) -> Read:
    """The published folder, as transformers' users run it."""
    import torch
    import transformers

    torch.set_num_threads(who.threads)
    model = transformers.AutoModelForCausalLM.from_pretrained(who.folder, dtype=torch.float32)
    kept: list[Any] = [None]

    def read(tokens: Sequence[int]) -> np.ndarray:
        if not tokens:
            kept[0] = None
            return np.empty(0)
        with torch.inference_mode():
            out = model(torch.tensor([list(tokens)]), past_key_values=kept[0], use_cache=True, logits_to_keep=1)
        kept[0] = out.past_key_values
        return np.asarray(out.logits[0, -1])

    return read


def of_llama_cpp(who: Contestant) -> Read:
    """llama.cpp by its C interface; it needs no vocabulary."""
    import llama_cpp as c

    silent = c.llama_log_callback(lambda *_: None)
    c.llama_log_set(silent, ctypes.c_void_p(0))
    c.llama_backend_init()
    path = who.folder / f"{who.kind}.gguf"
    model = c.llama_model_load_from_file(str(path).encode(), c.llama_model_default_params())
    options = c.llama_context_default_params()
    options.n_ctx = options.n_batch = who.room
    options.n_threads = options.n_threads_batch = who.threads
    if who.kind == "f32":
        options.type_k = options.type_v = 0  # float32, which kuiper's are always; for the others float16, as usual
    context = c.llama_init_from_model(model, options)

    def read(tokens: Sequence[int], kept: object = (silent, model)) -> np.ndarray:
        if not tokens:
            c.llama_memory_clear(c.llama_get_memory(context), True)
            return np.empty(0)
        array = (c.llama_token * len(tokens))(*tokens)
        if c.llama_decode(context, c.llama_batch_get_one(array, len(tokens))):
            raise RuntimeError("llama_decode")
        return np.ctypeslib.as_array(c.llama_get_logits_ith(context, -1), (who.settings["vocab_size"],)).copy()

    return read


def write_gguf(folder: Path, settings: dict[str, Any], kind: str) -> None:
    """The folder's weights as llama.cpp reads them, unless they are there: f32, f16 or q8_0."""
    import gguf
    import torch
    from safetensors.torch import load_file

    path = folder / f"{kind}.gguf"
    if path.exists():
        return
    heads, few = settings["num_attention_heads"], settings["num_key_value_heads"]
    width = settings["hidden_size"] // heads
    family = settings["model_type"]
    writer = gguf.GGUFWriter(str(path), family)
    writer.add_context_length(settings["max_position_embeddings"])
    writer.add_embedding_length(settings["hidden_size"])
    writer.add_block_count(settings["num_hidden_layers"])
    writer.add_feed_forward_length(settings["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(few)
    writer.add_rope_dimension_count(width)
    writer.add_rope_freq_base(settings["rope_theta"])
    writer.add_layer_norm_rms_eps(settings["rms_norm_eps"])
    writer.add_vocab_size(settings["vocab_size"])
    writer.add_tokenizer_model("no_vocab")
    types = gguf.GGMLQuantizationType
    wanted = {"f32": types.F32, "f16": types.F16, "q8_0": types.Q8_0}[kind]
    architecture = {"qwen2": gguf.MODEL_ARCH.QWEN2, "llama": gguf.MODEL_ARCH.LLAMA}[family]
    names = gguf.get_tensor_name_map(architecture, settings["num_hidden_layers"])
    for name, tensor in load_file(folder / "model.safetensors").items():
        data = tensor.to(torch.float32).numpy()
        if family == "llama" and ("q_proj" in name or "k_proj" in name):  # it turns pairs that lie side by side
            count = heads if "q_proj" in name else few
            data = data.reshape(count, 2, width // 2, -1).swapaxes(1, 2).reshape(data.shape)
        store = wanted if data.ndim == 2 else types.F32
        data = data if store == types.F32 else gguf.quants.quantize(data, store)
        found = names.get_name(name, try_suffixes=(".weight", ".bias"))
        writer.add_tensor(found, np.ascontiguousarray(data), raw_dtype=store)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Process:
    """A contestant in a process of its own; what it found is in its attributes.

    load : seconds from the files to the scores of one token. memory : bytes that it took at most, beyond what its
    libraries take at the end. prompt, token : seconds of every turn. fault : why there are none.
    """

    def __init__(self, who: Contestant) -> None:
        self.who = who
        self.load, self.memory, self.fault = 0.0, 0, ""
        self.scores = np.empty(0)
        self.prompt: list[float] = []
        self.token: list[float] = []
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, who), daemon=True)
        self._process.start()
        theirs.close()
        answer = self._answer()
        self.load, self.scores = answer.get("load", 0.0), answer.get("scores", np.empty(0))

    def _answer(self) -> dict[str, Any]:
        try:
            if not self._connection.poll(PATIENCE):
                raise EOFError
            answer: dict[str, Any] = self._connection.recv()
        except (EOFError, OSError):
            answer = {"fault": "its process ended, or gave no answer"}
        self.fault = self.fault or answer.get("fault", "")
        return answer

    def turn(self, what: str) -> None:
        """ "prompt" or "token": its seconds are kept."""
        if not self.fault:
            self._connection.send(what)
            answer = self._answer()
            getattr(self, what).append(answer.get("seconds", float("nan")))
            self.memory = answer.get("memory", self.memory)

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()


def library_bytes() -> int:
    """How much of the files of libraries is in this process's memory now; 0 where that is not known (not Linux)."""
    total, library = 0, False
    with suppress(OSError):
        for line in Path("/proc/self/smaps").read_text().splitlines():
            name, _, rest = line.partition(" ")
            if not name.endswith(":"):  # a mapping begins: addresses, rights, ..., the file
                library = ".so" in line.rpartition("/")[2]
            elif name == "Rss:" and library:
                total += int(rest.split()[0]) << 10
            elif name == "Anonymous:" and library:  # what was written to is the process's own
                total -= int(rest.split()[0]) << 10
    return total


def _work(connection: Connection, who: Contestant) -> None:
    """What a process does: make ready, then a turn for each message."""
    try:
        for module in {
            "kuiper": ["kuiper.compiled.plan"],
            "torch": ["torch"],
            "transformers": ["torch", "transformers.models.llama"],
        }.get(who.name, ["llama_cpp"]):
            importlib.import_module(module)
        if who.name == "kuiper" and llvm.installed():
            llvm.binding()
        before = (peak_memory() or 0) - library_bytes()
        text = words(who.settings)
        started = time.perf_counter()
        read = who.open(who)
        read(text[:1])
        load = time.perf_counter() - started
        for _ in range(2):  # what comes again is worth machine code
            read([])
            read(text[:PROMPT])
        scores = [read([word]) for word in text[PROMPT : PROMPT + 3]][-1]
        until_idle()
        connection.send({"load": load, "scores": scores})
        place = PROMPT + 3
        while True:
            what = connection.recv()
            if what == "prompt":
                read([])
                started = time.perf_counter()
                read(text[:PROMPT])
                seconds, place = time.perf_counter() - started, PROMPT
            else:
                times = []
                for _ in range(STEPS):
                    started = time.perf_counter()
                    read([text[place]])
                    times.append(time.perf_counter() - started)
                    place += 1
                seconds = median(times)
            until_idle()
            connection.send({"seconds": seconds, "memory": (peak_memory() or 0) - library_bytes() - before})
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return
    except Exception as error:
        connection.send({"fault": f"{type(error).__name__}: {error}"})


def read_bandwidth(threads: int, size: int = 1 << 30) -> float:
    """Bytes a second that so many threads read from memory, each an inner product over its part."""
    numbers = np.ones(size // 4, np.float32)
    parts = np.array_split(numbers, threads)
    best = float("inf")
    for _ in range(5):
        workers = [threading.Thread(target=np.dot, args=(part, part)) for part in parts]
        started = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = min(best, time.perf_counter() - started)
    return size / best


def contestants(name: str, cache: Path, threads: int, room: int) -> list[Contestant]:
    """Who takes part with one network; its files are made."""
    _, settings = MODELS[name]
    folder = publish(cache / name, settings)
    found = []
    for kind, bits in (("f32", 32), ("f16", 16), ("int8", 8)):
        there = cache / f"{name}-{kind}"
        if not list(there.glob("*.pnnx.bin")):
            convert(folder, there, bits=bits)
        found.append(Contestant("kuiper", kind, there, settings, threads, room, of_kuiper))
    make = partial(Contestant, settings=settings, threads=threads, room=room)
    found.append(make("torch", "f32", cache / f"{name}-f32", open=of_torch))
    found.append(make("transformers", "f32", folder, open=of_transformers))
    for kind in ("f32", "f16", "q8_0"):
        with suppress(ModuleNotFoundError):  # its process then says that llama_cpp is not there
            write_gguf(folder, settings, kind)
        found.append(make("llama.cpp", kind, folder, open=of_llama_cpp))
    return found


def weight_bytes(who: Contestant) -> int:
    """Of the file with its weights."""
    if who.name == "llama.cpp":
        return (who.folder / f"{who.kind}.gguf").stat().st_size
    pattern = "*.safetensors" if who.name == "transformers" else "*.pnnx.bin"
    return sum(path.stat().st_size for path in who.folder.glob(pattern)) * (1 + (who.name == "transformers"))


def cache_bytes(who: Contestant) -> int:
    """That are reserved for keys and values; 0 where the cache grows with the text."""
    if who.name == "transformers":
        return 0
    settings, each = who.settings, 2 if who.name == "llama.cpp" and who.kind != "f32" else 4
    width = settings["hidden_size"] // settings["num_attention_heads"]
    return 2 * each * settings["num_hidden_layers"] * settings["num_key_value_heads"] * who.room * width


def first_start(who: Contestant) -> int:
    """Bytes of memory that kuiper takes where its machine code is not on disk yet, but then is."""
    process = Process(who)
    for what in ("prompt", "token"):
        process.turn(what)
    process.close()
    return process.memory


def run(name: str, cache: Path, threads: int, room: int, rounds: int, only: Sequence[str] = ()) -> list[str]:
    """The table's lines for one network. only: names of contestants, kuiper among them; () for all."""
    title, _ = MODELS[name]
    bandwidth = read_bandwidth(threads)
    found = [who for who in contestants(name, cache, threads, room) if not only or who.name in only]
    first = {who.kind: first_start(who) for who in found if who.name == "kuiper"}
    processes = [Process(who) for who in found]
    try:
        for what, times in (("prompt", max(3, rounds // 3)), ("token", rounds)):
            for _ in range(times):
                for process in processes:
                    process.turn(what)
    finally:
        for process in processes:
            process.close()
    head = [
        title, "tokens/s", "kuiper / it", "of read bandwidth", f"prompt of {PROMPT}, ms", "memory, MB",
        "of it cache", "rest / weights", "at a first start", "load, s", "scores differ by",
    ]  # fmt: skip
    lines = [_row(head), _row(["---", *["--:"] * (len(head) - 1)])]
    ours = {process.who.kind: process for process in processes if process.who.name == "kuiper"}
    for process in processes:
        who = process.who
        if process.fault:
            lines.append(
                _row([f"{who.name} {who.kind}", f"not measured: {process.fault[:80]}", *[""] * (len(head) - 2)])
            )
            continue
        token, size, kept = median(process.token), weight_bytes(who), cache_bytes(who)
        rival = ours[{"q8_0": "int8"}.get(who.kind, who.kind)]
        ratio = "" if who.name == "kuiper" else f"**{token / median(rival.token):.2f}**"
        differ = largest_difference([ours["f32"].scores], [process.scores]).relative
        lines.append(_row([
            f"{who.name} {who.kind}", f"{1 / token:.1f}", ratio, f"{size / token / bandwidth:.0%}",
            f"{median(process.prompt) * 1e3:.0f}", f"{process.memory / 2**20:.0f}", f"{kept / 2**20:.0f}",
            f"{(process.memory - kept) / size:.2f}",
            f"{(first[who.kind] - kept) / size:.2f}" if who.name == "kuiper" else "",
            f"{process.load:.2f}", f"{differ:.0e}",
        ]))  # fmt: skip
    return [*lines, "", f"Read bandwidth {bandwidth / 1e9:.1f} GB/s with {threads} threads, room for {room} tokens."]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def versions() -> str:
    """Of everybody that is installed."""
    found = []
    for name in ("torch", "transformers", "llama-cpp-python"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name}: not installed")
    return ", ".join(found)


def main() -> None:
    """Measure what the command line names, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.language", description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=MODELS, action="append", help="this network; repeatable")
    parser.add_argument("--who", metavar="NAME", action="append", help="beside kuiper, such as torch; repeatable")
    parser.add_argument("--threads", type=int, default=usable_cores(), help="threads of everyone (default: one a core)")
    parser.add_argument("--rounds", type=int, default=9, help="turns of everyone (default: 9)")
    parser.add_argument("--room", type=int, default=2048, help="tokens that the cache has room for (default: 2048)")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where to write (default: benchmarks/LANGUAGE.md)")
    parser.add_argument("--cache", type=Path, default=CACHE / "language", help="folder of the networks")
    typed = parser.parse_args()
    os.environ |= {f"{library}_NUM_THREADS": str(typed.threads) for library in ("OMP", "OPENBLAS", "MKL")}
    lines = [HEAD, f"{processor()}, {typed.threads} threads; kuiper {kuiper.__version__}, {versions()}."]
    only = ["kuiper", *typed.who] if typed.who else []
    with tempfile.TemporaryDirectory() as machine_code:
        os.environ["KUIPER_CACHE"] = machine_code  # kuiper starts for the first time
        for name in typed.only or MODELS:
            lines += ["", *run(name, typed.cache, typed.threads, typed.room, typed.rounds, only)]
    typed.output.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"wrote {typed.output}")


if __name__ == "__main__":
    main()
