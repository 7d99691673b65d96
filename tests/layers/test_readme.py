"""What the README of layers/ shows works as it stands."""

import re

import numpy as np

import kuiper
from classroom.register import ROOT


def test_the_example_layer_runs_in_a_network(tmp_path):
    text = (ROOT / "kuiper" / "layers" / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    names = {}
    exec(code, names)
    path = tmp_path / "net.pnnx.param"
    path.write_text("7767517\n3 2\npnnx.Input in 0 1 0\nmy.Cube cube 1 1 0 1 scale=2.0\npnnx.Output out 1 0 1\n")
    graph = kuiper.load(path, registry=names["mine"])
    np.testing.assert_array_equal(graph(np.array([1.0, 2.0]))[0], [2.0, 16.0])
    assert "my.Cube" not in kuiper.registry
