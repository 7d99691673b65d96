"""A student's package at work: on the digits, and on random networks, in a process of its own without kuiper."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import kuiper
from classroom.mine.networks import random_network
from classroom.mine.package import ROOMS
from kuiper.vision import IMAGENET

WORKER = Path(__file__).with_name("worker.py")
SECONDS = 120.0
"""Time limit for all of it."""
UNSEEN = 20
"""Random networks: other ones on each run."""
STEPS = ("parse_operator", "topological_order")
"""Parts that show something by themselves, each with those before it."""
STEP_SECONDS = 20.0
TOLERANCE = 1e-3
ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
"""Its matrix products are small: threads that wait for each other would cost more than they gain."""


@dataclass(frozen=True)
class BesideKuiper:
    """The package beside kuiper.

    error : what stopped it, in a sentence; "" if nothing did. stopped : at which random network, 0 for the digits.
    right, kuiper_right, digits : how many digits either reads right, and how many there are.
    patches_right, patches_kuiper, patches : likewise for the patches that lesson 8's ResNet names.
    agreeing : of the UNSEEN random networks, how many give what kuiper gives.
    """

    error: str = ""
    stopped: int = 0
    right: int = 0
    kuiper_right: int = 0
    digits: int = 0
    patches_right: int = 0
    patches_kuiper: int = 0
    patches: int = 0
    agreeing: int = 0

    @property
    def good(self) -> bool:
        """Whether it computes what kuiper computes."""
        same = self.right == self.kuiper_right and self.patches_right == self.patches_kuiper
        return not self.error and same and self.agreeing == UNSEEN


def compare(package: Path, *, seed: int | None = None, seconds: float = SECONDS) -> BesideKuiper:
    """Run the package on its digits, random networks and patches, and kuiper's simple engine on the same.

    seed : of the random networks; None: other ones each time.
    """
    digits = package / "digits" / "digits.pnnx.param"
    with np.load(digits.with_name("heldout.npz")) as data:
        images, labels = data["images"].astype(np.float32)[:, None], data["labels"]
    classifier = package / "classifier" / "classifier.pnnx.param"
    with np.load(classifier.with_name("heldout.npz")) as data:
        patches, names = np.stack([IMAGENET(one.transpose(2, 0, 1)) for one in data["images"]]), data["labels"]
    rng = np.random.default_rng(seed)
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        params, inputs = [digits], [images]
        for index in range(UNSEEN):
            network = random_network(rng)
            params.append(network.save(folder, f"network{index}"))
            inputs.append(network.batch(rng, 2))
        params.append(classifier)
        inputs.append(patches)
        outputs = [folder / f"output{index}.npy" for index in range(len(params))]
        error, stopped = run(package, params, inputs, outputs, seconds)
        if error:
            return BesideKuiper(error=error, stopped=max(stopped, 0))
        got = [np.load(output) for output in outputs]
        expected = []
        for param, x in zip(params, inputs):
            expected.append(kuiper.load(param, engine="simple")(x)[0])
    for place, what in ((0, "digits"), (-1, "patches")):
        if got[place].shape != expected[place].shape:
            said = f"the scores of the {what} have the shape {got[place].shape}, and not {expected[place].shape}"
            return BesideKuiper(error=said, stopped=place % len(got))
    return BesideKuiper(
        right=int((got[0].argmax(axis=1) == labels).sum()),
        kuiper_right=int((expected[0].argmax(axis=1) == labels).sum()),
        digits=len(labels),
        patches_right=int((got[-1].argmax(axis=1) == names).sum()),
        patches_kuiper=int((expected[-1].argmax(axis=1) == names).sum()),
        patches=len(names),
        agreeing=sum(agree(a, b) for a, b in zip(got[1:-1], expected[1:-1])),
    )


def so_far(package: Path, solved: Collection[str]) -> list[str]:
    """What the parts that are there make of the digits' network, in lines; none if they do not run."""
    request = {"package": str(package.resolve()), "param": str(package / "digits" / "digits.pnnx.param")}
    try:
        answer = json.loads(ask({**request, "parts": [part for part in STEPS if part in solved]}, STEP_SECONDS).stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return []
    return [str(line) for line in answer["lines"]]


def ask(request: dict[str, Any], seconds: float) -> subprocess.CompletedProcess[bytes]:
    """The worker's process, when it has ended. Raises TimeoutExpired."""
    return subprocess.run(
        [sys.executable, "-P", str(WORKER), json.dumps(request)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ALONE, "PYTHONDONTWRITEBYTECODE": "1"},
        timeout=seconds,
    )


def run(
    package: Path, params: Sequence[Path], inputs: Sequence[np.ndarray], outputs: Sequence[Path], seconds: float
) -> tuple[str, int]:
    """Run the networks in the worker -> (error, at which network)."""
    networks = []
    for param, x, output in zip(params, inputs, outputs):
        given = output.with_name(f"input_of_{output.name}")
        np.save(given, x, allow_pickle=False)
        networks.append([str(param), str(given), str(output)])
    homework = {room: file for file, (room, _) in ROOMS.items()}
    request = {"package": str(package.resolve()), "homework": homework, "networks": networks}
    try:
        done = ask(request, seconds)
        result = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return f"no result within {seconds:g} s: is there a loop that never ends, or one that is very slow?", -1
    except ValueError:
        return f"the process ended by itself (exit code {done.returncode}): does the code call exit?", -1
    return result["error"], result["network"]


def agree(got: np.ndarray, expected: np.ndarray) -> bool:
    """Whether a network's output is what kuiper gives."""
    return got.shape == expected.shape and np.allclose(got, expected, TOLERANCE, TOLERANCE)
