"""Every operator type of PNNX's own tests has a layer, and stands in the table of operators."""

import pytest

import kuiper
from classroom.dev.operators import BY_THE_GRAPH, TABLE
from classroom.register import ROOT

ROWS = (ROOT / "tests" / "data" / "pnnx_operator_types.tsv").read_text(encoding="utf-8").splitlines()[1:]
TYPES = [row.split("\t")[2] for row in ROWS]


def test_there_are_268_types():
    assert len(set(TYPES)) == len(TYPES) == 268


@pytest.mark.parametrize("operator_type", TYPES)
def test_the_type_has_a_layer_and_stands_in_the_table(operator_type):
    assert operator_type in kuiper.registry or operator_type in BY_THE_GRAPH
    assert f"`{operator_type}`" in TABLE.read_text(encoding="utf-8")
