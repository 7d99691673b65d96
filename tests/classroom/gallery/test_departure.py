from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from classroom import gallery
from classroom.gallery.departure import CheckingPipeline, departure, difference
from classroom.gallery.mine import departed
from classroom.gallery.pipeline import Pipeline, Replacements

MODEL = gallery.find("digits").model


def departure_with(layer: type[kuiper.Layer], operator_type: str, x: np.ndarray) -> dict[str, Any] | None:
    registry = kuiper.registry.copy()
    registry.override(operator_type, layer)
    reference, mine = kuiper.load(MODEL), kuiper.load(MODEL, registry=registry)
    return departure(reference.operators, reference(x, keep=True).kept, mine(x, keep=True).kept)


def test_a_wrong_shape_departs() -> None:
    class Cut(kuiper.Layer):
        def forward(self, x: np.ndarray) -> np.ndarray:
            return np.maximum(x, 0)[:, :1]

    found = departure_with(Cut, "nn.Sigmoid", np.ones((2, 1, 8, 8), np.float32))
    assert found is not None
    assert (found["place"], found["expected"], found["got"]) == (
        "block2.gate.sigmoid",
        "shape (2, 64, 1, 1)",
        "shape (2, 1, 1, 1)",
    )


def test_nan_is_a_departure() -> None:
    class Nan(kuiper.Layer):
        def forward(self, x: np.ndarray) -> np.ndarray:
            return x * np.float32(np.nan)

    found = departure_with(Nan, "nn.Sigmoid", np.ones((2, 1, 8, 8), np.float32))
    assert found is not None
    assert found["place"] == "block2.gate.sigmoid"
    assert found["difference"] == np.inf


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (np.ones(3), np.ones(3) + 1e-6),
        (np.array([1, 2]), [1, 2]),
        (0.5, np.float32(0.5)),
        (np.array([np.nan, np.inf]), np.array([np.nan, np.inf])),
        (np.array([10, 200], np.uint8), np.array([11, 199], np.uint8)),
        ((np.zeros(2), 1, 2), [np.zeros(2), 1, 2]),
        (np.zeros(0, np.intp), []),
        (np.array([True]), np.array([True])),
    ],
)
def test_results_that_agree(expected: Any, got: Any) -> None:
    assert difference(expected, got) is None


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (np.ones(3), np.ones(3) + 0.01),
        (np.array([1, 2]), [2, 1]),
        (np.ones(3), None),
        (np.ones(3), "text"),
        (np.ones(3), [[1], [1, 2]]),
        (np.array([10, 200], np.uint8), np.array([12, 200], np.uint8)),
        (np.array([0, 255], np.uint8), np.array([255, 255], np.uint8)),
        ((np.zeros(2), 1), np.zeros(2)),
        ((np.zeros(2), 1), (np.zeros(2), 2)),
        (np.ones(2), np.array([1.0, np.nan])),
        (np.array([np.inf]), np.array([-np.inf])),
    ],
)
def test_results_that_do_not(expected: Any, got: Any) -> None:
    found = difference(expected, got)
    assert found is not None
    assert "All before it agree." in departed({"place": "decode", "type": "", **found})


def test_where_the_largest_difference_is_and_what_stands_there() -> None:
    found = difference((np.zeros((2, 2)), np.zeros((2, 2))), (np.zeros((2, 2)), np.array([[0, 0.5], [3.0, 0]])))
    assert found is not None
    assert (found["value"], found["where"], found["values"], found["difference"]) == (1, [1, 0], [0.0, 3.0], 3.0)


def double(x: np.ndarray) -> np.ndarray:
    return 2 * x


def test_a_step_is_the_students_where_there_is_one() -> None:
    replacements = Replacements(steps={"double": lambda x: x + x + 1})
    pipeline = Pipeline(MODEL, {"double": double, "same": lambda x: x}, replacements)
    assert pipeline.step("double", np.ones(1)) == 3
    assert pipeline.step("same", 7) == 7


def test_what_a_step_raises_names_it() -> None:
    pipeline = Pipeline(MODEL, {"double": double}, Replacements(steps={"double": lambda x: x[5]}))
    with pytest.raises(kuiper.KuiperError, match="double raised IndexError: index 5 is out of bounds"):
        pipeline.step("double", np.ones(1))


def test_a_step_cannot_spoil_what_it_is_given() -> None:
    def spoils(x: np.ndarray) -> np.ndarray:
        x[:] = 9
        return x

    x = np.ones(2)
    Pipeline(MODEL, {"double": double}, Replacements(steps={"double": spoils})).step("double", x)
    assert x.tolist() == [1, 1]


def test_after_a_departure_the_check_goes_on_with_the_frameworks_result() -> None:
    pipeline = CheckingPipeline(MODEL, {"double": double}, Replacements(steps={"double": lambda x: x}))
    assert pipeline.step("double", np.ones(1)) == 2
    assert [found["place"] for found in pipeline.departures] == ["double"]


def test_a_missing_network_is_an_error_of_kuiper(tmp_path: Path) -> None:
    with pytest.raises(kuiper.KuiperError, match="no such file"):
        Pipeline(tmp_path / "none.pnnx.param", {})
