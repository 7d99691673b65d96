"""Lessons 3 and 4: from file to running network."""

import random
import threading
from pathlib import Path

import numpy as np
import pytest

import kuiper
from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter, ParameterKind
from kuiper.runtime import GraphState

WRITER = Path(__file__).parents[2] / "models/writer/writer.pnnx.param"

SIMPLE_OPS = """7767517
7 6
pnnx.Input       input 0 1 0 #0=(1,3,16,16)f32
nn.ReLU          op1   1 1 0 1 #1=(1,3,16,16)f32
nn.ReLU          op2   1 1 1 2 #2=(1,3,16,16)f32
nn.ReLU          op3   1 1 2 3 #3=(1,3,16,16)f32
nn.Sigmoid       op4   1 1 2 4 #4=(1,3,16,16)f32
pnnx.Expression  add   2 1 3 4 5 expr=add(@0,@1) #5=(1,3,16,16)f32
pnnx.Output      output 1 0 5
"""


TWO_RESULTS = """7767517
7 5
pnnx.Input       in_x 0 1 x #x=(1,4)f32
pnnx.Input       in_y 0 1 y #y=(1,4)f32
pnnx.Input       in_z 0 1 z #z=(1,4)f32
pnnx.Expression  first 2 1 x y d expr=sub(@0,@1)
pnnx.Expression  second 2 1 z x e expr=sub(@0,@1)
pnnx.Output      out_d 1 0 d
pnnx.Output      out_e 1 0 e
"""


@pytest.fixture
def model(tmp_path):
    """Write a model text to a file; return its path."""

    def write(text):
        path = tmp_path / "model.pnnx.param"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def simple_ops(model):
    return kuiper.load(model(SIMPLE_OPS))


def image(seed=0, shape=(1, 3, 16, 16)):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def simple_ops_by_hand(x):
    r = np.maximum(x, 0)
    return 1 / (1 + np.exp(-r)) + r


def body(*lines, head="pnnx.Input in 0 1 0 #0=(1,4)f32", tail="pnnx.Output out 1 0 9"):
    operands = {word for line in [head, *lines] for word in line.split() if word.isdigit()}
    rows = [head, *lines, tail]
    produced = 0
    for row in rows:
        produced += int(row.split()[3])
    assert operands
    return f"7767517\n{len(rows)} {produced}\n" + "\n".join(rows) + "\n"


def kahn(successors, choose):
    """Kahn's algorithm; `choose` gives the index of the ready name that is next."""
    missing = dict.fromkeys(successors, 0)
    for follower in (name for followers in successors.values() for name in followers):
        missing[follower] += 1
    ready = [name for name, count in missing.items() if count == 0]
    order = []
    while ready:
        order.append(ready.pop(choose(ready)))
        for follower in successors[order[-1]]:
            missing[follower] -= 1
            if missing[follower] == 0:
                ready.append(follower)
    return order


def last_ready_first(successors):
    return kahn(successors, lambda ready: -1)


def names(operands):
    return [operand.name for operand in operands]


class TestStates:
    def test_a_graph_goes_from_need_init_over_need_build_to_complete(self, model):
        graph = kuiper.RuntimeGraph(model(SIMPLE_OPS))
        assert graph.state is GraphState.NEED_INIT == -2
        graph.init()
        assert graph.state is GraphState.NEED_BUILD == -1
        graph.build()
        assert graph.state is GraphState.COMPLETE == 0
        graph.build()
        assert graph.state is GraphState.COMPLETE

    def test_build_before_init_says_what_to_call(self, model):
        with pytest.raises(kuiper.GraphError, match=r"call init\(\)"):
            kuiper.RuntimeGraph(model(SIMPLE_OPS)).build()

    def test_forward_before_build_says_what_to_call(self, model):
        graph = kuiper.RuntimeGraph(model(SIMPLE_OPS))
        with pytest.raises(kuiper.GraphError, match=r"found NEED_INIT; call init\(\), then build\(\)"):
            graph.forward(image())
        graph.init()
        with pytest.raises(kuiper.GraphError, match=r"found NEED_BUILD; call build\(\)"):
            graph.forward(image())

    def test_init_reads_operators_operands_and_parameters(self, model):
        graph = kuiper.RuntimeGraph(model(SIMPLE_OPS))
        graph.init()
        add = graph.operator("add")
        assert add.type == "pnnx.Expression"
        assert [o.name for o in add.inputs] == ["3", "4"]
        assert add.params["expr"].value == "add(@0,@1)"
        assert add.inputs[0].shape == (1, 3, 16, 16)

    def test_build_connects_operators_by_name(self, simple_ops):
        assert list(simple_ops.operator("op2").output_operators) == ["op3", "op4"]
        assert [op.name for op in simple_ops.operator("add").producers] == ["op3", "op4"]


class TestFromGraph:
    """A graph that was made in memory."""

    @staticmethod
    def affine(weight, bias):
        """x -> relu(x W^T + b), its operators in no order."""
        x, hidden, y = Operand("0"), Operand("1"), Operand("2")
        weights = {"weight": Attribute.from_array(weight), "bias": Attribute.from_array(bias)}
        options = {
            "bias": Parameter(ParameterKind.BOOL, True),
            "in_features": Parameter(ParameterKind.INT, weight.shape[1]),
            "out_features": Parameter(ParameterKind.INT, weight.shape[0]),
        }
        return Graph(
            [
                Operator("pnnx.Output", "out", [y]),
                Operator("nn.ReLU", "relu", [hidden], [y]),
                Operator("nn.Linear", "linear", [x], [hidden], params=options, attributes=weights),
                Operator("pnnx.Input", "in", [], [x]),
            ]
        )

    @pytest.mark.parametrize("engine", ["simple", "fast", "auto", "compiled"])
    def test_it_runs_with_every_engine(self, engine):
        rng = np.random.default_rng(0)
        weight, bias = rng.standard_normal((3, 4), np.float32), rng.standard_normal(3, np.float32)
        graph = kuiper.RuntimeGraph.from_graph(self.affine(weight, bias), engine=engine)
        assert graph.state is GraphState.NEED_BUILD
        graph.build()
        for batch in (1, 5, 5, 5):
            x = rng.standard_normal((batch, 4), np.float32)
            np.testing.assert_allclose(graph(x)[0], np.maximum(x @ weight.T + bias, 0), rtol=1e-5, atol=1e-6)
        assert [op.name for op in graph.operators] == ["in", "linear", "relu", "out"]
        assert (graph.executor.plan_for({"0": x}) is None) == (engine == "simple")

    def test_it_gives_what_the_same_graph_gives_from_its_file(self, tmp_path):
        source = self.affine(np.arange(12, dtype="f4").reshape(3, 4), np.full(3, -20, "f4"))
        kuiper.pnnx.write(source.connect(), tmp_path / "net.pnnx.param")
        mine = kuiper.RuntimeGraph.from_graph(source)
        mine.build()
        x = image(shape=(2, 4))
        np.testing.assert_array_equal(mine(x)[0], kuiper.load(tmp_path / "net.pnnx.param")(x)[0])

    def test_its_warnings_are_those_of_the_graph(self):
        source = self.affine(np.ones((1, 1), "f4"), np.ones(1, "f4"))
        source.warnings.append("seen while it was made")
        assert kuiper.RuntimeGraph.from_graph(source).warnings == ["seen while it was made"]

    def test_its_name_stands_in_messages(self):
        with pytest.raises(kuiper.GraphError, match="toy: expected at least one operator, found none"):
            kuiper.RuntimeGraph.from_graph(Graph(), "toy")
        without_output = Graph([Operator("pnnx.Input", "in", [], [Operand("0")])])
        with pytest.raises(kuiper.GraphError, match=r"toy: expected a pnnx.Output"):
            kuiper.RuntimeGraph.from_graph(without_output, "toy").build()
        broken = self.affine(np.ones((1, 1), "f4"), np.ones(1, "f4"))
        text = Parameter(ParameterKind.STRING, "add(@0")
        broken.operators[1] = Operator(
            "pnnx.Expression", "sum", broken.operators[1].inputs, broken.operators[1].outputs, params={"expr": text}
        )
        with pytest.raises(kuiper.ModelFormatError, match=r"toy: expected an expression in sum, found .*never closed"):
            kuiper.RuntimeGraph.from_graph(broken, "toy").build()

    def test_what_cannot_run_is_an_error_of_build(self):
        x, y = Operand("0"), Operand("1")
        for operators, message in (
            ([Operator("nn.ReLU", "relu", [x], [y]), Operator("pnnx.Output", "out", [y])], "operand 0: expected an op"),
            ([Operator("nn.ReLU", "a", [x], [y]), Operator("nn.ReLU", "b", [y], [x])], "cycle: a -> b -> a"),
            ([Operator("nn.Odd", "odd", [], [y]), Operator("pnnx.Output", "out", [y])], r"nn\.Odd"),
        ):
            graph = kuiper.RuntimeGraph.from_graph(Graph(operators))
            with pytest.raises(kuiper.KuiperError, match=message):
                graph.build()
            assert graph.state is GraphState.NEED_BUILD

    def test_load_takes_it_and_leaves_it_as_it_was(self):
        source = self.affine(np.ones((1, 2), "f4"), np.ones(1, "f4"))
        graph = kuiper.load(source, engine="simple")
        assert (graph.state, graph.engine) == (GraphState.COMPLETE, "simple")
        assert graph(np.float32([[1, 2]]))[0].tolist() == [[4]]
        assert source.operators[1].layer is None

    def test_its_states_say_what_to_call(self):
        graph = kuiper.RuntimeGraph.from_graph(self.affine(np.ones((1, 2), "f4"), np.ones(1, "f4")))
        with pytest.raises(kuiper.GraphError, match=r"found NEED_BUILD; call build\(\)$"):
            graph(np.ones((1, 2)))
        with pytest.raises(kuiper.GraphError, match=r"init: a graph in memory has no files to read; call build\(\)$"):
            graph.init()
        graph.build()
        assert graph(np.float32([[1, 2]]))[0].tolist() == [[4]]

    def test_a_plan_is_asked_for_by_the_names_of_the_inputs(self):
        graph = kuiper.load(self.affine(np.ones((1, 2), "f4"), np.ones(1, "f4")), engine="fast")
        x = np.ones((3, 2), np.float32)
        for inputs, message in (
            ([x], r"expected inputs by name, \{'0': x\}, found list"),
            ({"x": x}, "expected inputs named 0, found x"),
            ({}, "expected inputs named 0, found none"),
            ({"0": "text"}, "input 0: expected an array of numbers"),
        ):
            with pytest.raises(kuiper.InferError, match=message):
                graph.executor.plan_for(inputs)
        assert graph.executor.plan_for({"0": x}) is graph.executor.plan_for({"0": x + 1}) is not None


class TestForward:
    def test_simple_ops_is_sigmoid_plus_relu(self, simple_ops):
        x = image()
        np.testing.assert_allclose(simple_ops(x)[0], simple_ops_by_hand(x), rtol=1e-6)

    @pytest.mark.parametrize("shape", [(8, 3, 16, 16), (1, 3, 5, 7), (2, 1, 1, 1)])
    def test_other_sizes_than_the_exported_run(self, simple_ops, shape):
        x = image(shape=shape)
        np.testing.assert_allclose(simple_ops(x)[0], simple_ops_by_hand(x), rtol=1e-6)

    def test_float64_is_converted_to_what_the_model_declares(self, simple_ops):
        assert simple_ops(np.ones((1, 3, 16, 16)))[0].dtype == np.float32

    def test_operators_in_any_file_order_run(self, model):
        head, *lines = SIMPLE_OPS.splitlines()[1:]
        graph = kuiper.load(model("\n".join(["7767517", head, *reversed(lines)]) + "\n"))
        x = image()
        np.testing.assert_allclose(graph(x)[0], simple_ops_by_hand(x), rtol=1e-6)
        assert graph.operators[0].name == "input"

    def test_one_operand_may_fill_two_slots(self, model):
        graph = kuiper.load(model(body("torch.cat join 2 1 0 0 9 dim=1")))
        x = image(shape=(1, 4))
        np.testing.assert_array_equal(graph(x)[0], np.concatenate([x, x], 1))

    def test_two_outputs_of_one_producer_stay_apart(self, model):
        text = body("torch.chunk halves 1 2 0 1 2 chunks=2 dim=1", "pnnx.Expression minus 2 1 2 1 9 expr=sub(@0,@1)")
        x = image(shape=(1, 4))
        np.testing.assert_array_equal(kuiper.load(model(text))(x)[0], x[:, 2:] - x[:, :2])

    def test_inputs_come_in_file_order_and_by_position(self, model):
        text = body("pnnx.Input second 0 1 1 #1=(1,4)f32", "pnnx.Expression minus 2 1 0 1 9 expr=sub(@0,@1)")
        a, b = image(1, (1, 4)), image(2, (1, 4))
        np.testing.assert_array_equal(kuiper.load(model(text))(a, b)[0], a - b)

    def test_nested_tuples_come_out_flat_and_in_order(self, model):
        text = body(
            "nn.ReLU relu 1 1 0 1",
            "prim::TupleConstruct inner 2 1 1 0 2",
            "prim::TupleConstruct outer 2 1 2 0 9",
        )
        x = image(shape=(1, 4))
        outputs = kuiper.load(model(text))(x)
        assert len(outputs) == 3
        for got, expected in zip(outputs, [np.maximum(x, 0), x, x], strict=True):
            np.testing.assert_array_equal(got, expected)

    def test_dicts_come_out_as_their_values_in_order(self, model):
        text = body(
            "pnnx.Expression k1 0 1 1 expr=b",
            "pnnx.Expression k2 0 1 2 expr=a",
            "nn.ReLU relu 1 1 0 3",
            "prim::DictConstruct dict 4 1 1 3 2 0 9",
        )
        x = image(shape=(1, 4))
        outputs = kuiper.load(model(text))(x)
        np.testing.assert_array_equal(outputs[0], np.maximum(x, 0))
        np.testing.assert_array_equal(outputs[1], x)

    def test_a_network_without_inputs_runs(self, model):
        text = body(head="pnnx.Expression three 0 1 9 expr=add(1,2)")
        assert kuiper.load(model(text))()[0] == 3

    def test_a_chain_of_5000_operators_runs(self, model):
        lines = [f"nn.ReLU r{i} 1 1 {i} {i + 1}" for i in range(5000)]
        text = body(*lines, tail="pnnx.Output out 1 0 5000")
        x = image(shape=(1, 4))
        np.testing.assert_array_equal(kuiper.load(model(text))(x)[0], np.maximum(x, 0))

    def test_the_callback_sees_every_operator_in_order(self, simple_ops):
        seen = []
        simple_ops.forward(image(), on_operator=lambda op, seconds: seen.append((op.name, seconds >= 0)))
        assert seen == [(name, True) for name in ("op1", "op2", "op3", "op4", "add")]


class TestResults:
    def test_a_result_once_returned_never_changes(self, simple_ops):
        first = simple_ops(image(1))[0]
        copy = first.copy()
        simple_ops(image(2))
        np.testing.assert_array_equal(first, copy)

    def test_changing_the_input_afterwards_leaves_the_result(self, model):
        graph = kuiper.load(model(body("Tensor.reshape flat 1 1 0 9 shape=(4)")))
        x = image(shape=(1, 4))
        out = graph(x)[0]
        copy = out.copy()
        x[:] = 0
        np.testing.assert_array_equal(out, copy)

    def test_writing_into_a_result_leaves_the_network(self, simple_ops):
        x = image()
        first = simple_ops(x)[0]
        expected = first.copy()
        first[:] = np.nan
        np.testing.assert_array_equal(simple_ops(x)[0], expected)

    def test_inputs_are_never_written_to(self, simple_ops):
        x = image()
        x.flags.writeable = False
        before = x.copy()
        simple_ops(x)
        np.testing.assert_array_equal(x, before)

    def test_intermediate_results_come_by_operator_or_operand_name(self, simple_ops):
        x = image()
        outputs = simple_ops.forward(x, keep=["op1", "#4"])
        r = np.maximum(x, 0)
        np.testing.assert_array_equal(outputs.kept["op1"], r)
        np.testing.assert_allclose(outputs.kept["#4"], 1 / (1 + np.exp(-r)), rtol=1e-6)

    def test_an_operator_with_several_outputs_is_kept_as_a_tuple(self, model):
        text = body("torch.chunk halves 1 2 0 1 2 chunks=2 dim=1", "pnnx.Expression s 2 1 2 1 9 expr=sub(@0,@1)")
        x = image(shape=(1, 4))
        kept = kuiper.load(model(text)).forward(x, keep=["halves"]).kept["halves"]
        np.testing.assert_array_equal(np.concatenate(kept, 1), x)

    def test_keep_true_keeps_everything(self, simple_ops):
        kept = simple_ops.forward(image(), keep=True).kept
        assert list(kept) == ["input", "op1", "op2", "op3", "op4", "add"]

    def test_an_unknown_name_suggests_a_similar_one(self, simple_ops):
        with pytest.raises(kuiper.GraphError, match="similar: op"):
            simple_ops.forward(image(), keep=["op9"])

    def test_datas_gives_one_tensor_per_sample_that_shares_memory(self, simple_ops):
        simple_ops.forward(image(shape=(4, 3, 16, 16)), keep=["op1"])
        operand = simple_ops.operator("op1").outputs[0]
        assert len(operand.datas) == 4
        assert operand.datas[0].shapes == (3, 16, 16)
        assert np.shares_memory(operand.datas[2].data, operand.data)

    def test_datas_of_an_operand_that_was_not_kept_says_so(self, simple_ops):
        simple_ops.forward(image())
        with pytest.raises(kuiper.ShapeError, match="kept by the last forward"):
            _ = simple_ops.operator("op1").outputs[0].datas

    def test_threads_that_share_a_graph_get_their_own_results(self, simple_ops):
        wrong = []

        def work(seed):
            x = image(seed)
            for _ in range(20):
                if not np.allclose(simple_ops(x)[0], simple_ops_by_hand(x), rtol=1e-5):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


class TestSpace:
    def test_simple_ops_needs_what_the_lesson_says(self, simple_ops):
        floats = 4
        assert simple_ops.memory_plan.total_bytes == 4_608 * floats
        assert simple_ops.memory_plan.planned_bytes == 2_304 * floats
        assert simple_ops.memory_plan.lower_bound_bytes == 2_304 * floats

    def test_there_is_no_plan_before_the_graph_is_built(self, model):
        graph = kuiper.RuntimeGraph(model(SIMPLE_OPS))
        assert graph.memory_plan is None
        graph.init()
        assert graph.memory_plan is None
        graph.build()
        assert graph.memory_plan.planned_bytes == 2_304 * 4

    def test_a_dynamic_shape_leaves_the_plan_open(self, model):
        assert kuiper.load(model(SIMPLE_OPS.replace("(1,3", "(?,3"))).memory_plan is None

    def test_values_are_released_after_their_last_reader(self, model):
        alive = []

        class Watch(kuiper.Layer):
            def forward_operator(self, operator, values):
                super().forward_operator(operator, values)
                alive.append(len(values))

            def forward(self, x):
                return x + 1

        registry = kuiper.registry.copy()
        registry.override("nn.ReLU", Watch)
        lines = [f"nn.ReLU r{i} 1 1 {i} {i + 1}" for i in range(10)]
        kuiper.load(model(body(*lines, tail="pnnx.Output out 1 0 10")), registry=registry)(image(shape=(1, 4)))
        assert max(alive) == 2


class TestErrors:
    def test_all_unsupported_types_are_reported_at_once(self, model):
        text = body("nn.Strange a 1 1 0 1", "nn.Odd b 1 1 1 2", "nn.Odd c 1 1 2 9")
        with pytest.raises(kuiper.UnsupportedOperatorError) as caught:
            kuiper.load(model(text))
        assert caught.value.types == {"nn.Strange": ["a"], "nn.Odd": ["b", "c"]}
        assert "registry" in str(caught.value)

    @pytest.mark.parametrize(
        ("inputs", "message"),
        [
            ([], "expected 1 input"),
            ([np.zeros((1, 4)), np.zeros((1, 4))], "found 2"),
            ([np.zeros(4)], r"rank 2, like \(1,4\), found \(4\)"),
            ([np.zeros((0, 4))], "at least one element"),
            ([np.array([["a", "b"]])], "array of numbers"),
            ([np.zeros((1, 4), complex)], "expected float32, found complex128"),
            ([[[1, 2], [3]]], "expected an array"),
        ],
    )
    def test_a_bad_input_says_what_was_expected(self, model, inputs, message):
        graph = kuiper.load(model(body("nn.ReLU relu 1 1 0 9")))
        with pytest.raises(kuiper.InferError, match=message):
            graph(*inputs)

    def test_an_error_in_a_layer_names_the_operator(self, model):
        text = body("torch.cat join 2 1 0 1 9 dim=0", "pnnx.Input second 0 1 1 #1=(1,4)f32")
        with pytest.raises(kuiper.KuiperError, match="join"):
            kuiper.load(model(text))(np.zeros((1, 4)), np.zeros((1, 5)))

    def test_a_model_without_output_is_refused(self, model):
        with pytest.raises(kuiper.GraphError, match=r"expected a pnnx\.Output"):
            kuiper.load(model("7767517\n1 1\npnnx.Input in 0 1 0\n"))

    def test_a_wrong_parameter_names_operator_and_parameter(self, model):
        with pytest.raises(kuiper.ParameterError, match="relu: parameter colour"):
            kuiper.load(model(body("nn.ReLU relu 1 1 0 9 colour=red")))

    def test_a_parameter_of_an_absurd_kind_names_operator_and_type(self, model):
        with pytest.raises(kuiper.KuiperError, match=r"join: torch\.cat cannot be made"):
            kuiper.load(model(body("torch.cat join 2 1 0 0 9 dim=sideways")))

    @pytest.mark.parametrize(
        ("expression", "message"),
        [
            ("add(@0,@1)", "@1 is not among"),
            ("add(@0", "never closed"),
            ("sin(@0,@0)", "sin takes 1"),
            ("@0,@0", "end"),
        ],
    )
    def test_a_faulty_expression_is_a_fault_of_the_file_with_its_line(self, model, expression, message):
        with pytest.raises(kuiper.ModelFormatError) as caught:
            kuiper.load(model(body(f"pnnx.Expression e 1 1 0 9 expr={expression}")))
        assert caught.value.line == 4
        assert caught.value.expected == "an expression in e"
        assert message in caught.value.found


class TestPluggedIn:
    """A student's functions run inside the engine, and nothing global changes."""

    def test_a_students_order_is_used(self, model):
        from kuiper.graph import reverse_post_order

        graph = kuiper.load(model(SIMPLE_OPS), toolbox=kuiper.Toolbox(topological_order=reverse_post_order))
        assert [op.name for op in graph.operators] == ["input", "op1", "op2", "op4", "op3", "add", "output"]
        x = image()
        np.testing.assert_allclose(graph(x)[0], simple_ops_by_hand(x), rtol=1e-6)

    @pytest.mark.parametrize("seed", range(12))
    def test_inputs_and_outputs_keep_the_files_order_in_any_valid_order(self, model, seed):
        chance = random.Random(seed)
        path = model(TWO_RESULTS)
        plain = kuiper.load(path)
        order = kuiper.Toolbox(topological_order=lambda s: kahn(s, lambda ready: chance.randrange(len(ready))))
        a, b, c = (image(seed, (1, 4)), image(seed + 50, (1, 4)), image(seed + 99, (1, 4)))
        for engine in ("simple", "fast", "auto", "compiled"):
            graph = kuiper.load(path, toolbox=order, engine=engine)
            assert names(graph.inputs) == names(plain.inputs) == ["x", "y", "z"]
            assert names(graph.outputs) == names(plain.outputs) == ["d", "e"]
            for got, expected in zip(graph(a, b, c), [a - b, c - a], strict=True):
                np.testing.assert_array_equal(got, expected)

    @pytest.mark.parametrize("engine", ["simple", "fast", "auto", "compiled"])
    def test_an_order_that_takes_the_last_ready_operator_first_runs_a_network_of_four_inputs(self, engine):
        inputs = [np.array([[5, 7, 9]]), *(np.zeros((4, 1, 2, 3, 32), "f4") for _ in "kv"), np.array([0])]
        expected = kuiper.load(WRITER, engine="simple")(*inputs)
        graph = kuiper.load(WRITER, toolbox=kuiper.Toolbox(topological_order=last_ready_first), engine=engine)
        assert names(graph.inputs) == ["0", "1", "2", "3"]
        executed = [op.name for op in graph.operators if op.type == "pnnx.Input"]
        assert executed == ["pnnx_input_3", "pnnx_input_2", "pnnx_input_1", "pnnx_input_0"]
        for _ in range(2):
            for got, wanted in zip(graph(*inputs), expected, strict=True):
                np.testing.assert_array_equal(got, wanted)

    @pytest.mark.parametrize(
        ("order", "message"),
        [
            (lambda s: list(s)[::-1], "before"),
            (lambda s: list(s)[:-1], "'output'"),
            (lambda s: [*list(s)[:-1], "in"], "fault"),
            (lambda s: [*s, "input"], "once"),
        ],
    )
    def test_a_wrong_order_is_told_apart(self, model, order, message):
        with pytest.raises(kuiper.GraphError, match=message):
            kuiper.load(model(SIMPLE_OPS), toolbox=kuiper.Toolbox(topological_order=order))

    def test_a_students_layer_is_used_and_the_registry_of_others_stays(self, model):
        class Zero(kuiper.Layer):
            def forward(self, x):
                return x * 0

        mine = kuiper.registry.copy()
        mine.override("nn.Sigmoid", Zero)
        x = image()
        np.testing.assert_array_equal(kuiper.load(model(SIMPLE_OPS), registry=mine)(x)[0], np.maximum(x, 0))
        np.testing.assert_allclose(kuiper.load(model(SIMPLE_OPS))(x)[0], simple_ops_by_hand(x), rtol=1e-6)

    def test_a_students_reader_is_used(self, model):
        def forgets_the_parameters(line):
            *known, _, attributes = kuiper.pnnx.parse_operator(line)
            return (*known, {}, attributes)

        with pytest.raises(kuiper.ParameterError, match="expr"):
            kuiper.load(model(SIMPLE_OPS), toolbox=kuiper.Toolbox(parse_operator=forgets_the_parameters))

    def test_a_students_parameters_are_used(self):
        def no_option(text):
            return (4, text)

        with pytest.raises(kuiper.ParameterError, match="stride"):
            kuiper.load("models/digits/digits.pnnx.param", toolbox=kuiper.Toolbox(parse_parameter=no_option))

    @pytest.mark.parametrize(
        ("tool", "found"),
        [
            ({"parse_parameter": lambda text: int(text)}, r":\d+: .* found ValueError"),
            ({"parse_parameter": lambda text: (99, text)}, r":\d+: .*99"),
            ({"parse_operator": lambda line: line.split()[9]}, ":3: .*IndexError"),
            ({"parse_operator": lambda line: None}, ":3: expected parse_operator to return .* found None"),
            ({"find_cycle": lambda successors: list(successors)[:2]}, "expected operators without a cycle"),
        ],
    )
    def test_what_a_students_reader_does_wrong_is_an_error_of_the_file(self, tool, found):
        with pytest.raises(kuiper.ModelFormatError, match=found):
            kuiper.load("models/digits/digits.pnnx.param", toolbox=kuiper.Toolbox(**tool))

    def test_an_exception_in_a_students_layer_names_the_operator(self, model):
        class Unfinished(kuiper.Layer):
            def forward(self, x):
                raise NotImplementedError("TODO")

        mine = kuiper.registry.copy()
        mine.override("nn.Sigmoid", Unfinished)
        with pytest.raises(kuiper.InferError, match=r"op4: .*TODO"):
            kuiper.load(model(SIMPLE_OPS), registry=mine)(image())


TWO_OUTPUTS = """7767517
5 3
pnnx.Input in 0 1 0
nn.ReLU one 1 1 0 1
pnnx.Output first 1 0 1
nn.Sigmoid two 1 1 1 2
pnnx.Output second 1 0 2
"""


@pytest.mark.parametrize("engine", ["simple", "fast", "auto", "compiled"])
@pytest.mark.parametrize("order", [kuiper.graph.topological_order, kuiper.graph.reverse_post_order])
def test_an_output_that_is_read_on_is_kept_to_the_end(model, engine, order):
    toolbox = kuiper.Toolbox(topological_order=order)
    graph = kuiper.load(model(TWO_OUTPUTS), engine=engine, toolbox=toolbox)
    x = np.array([-1.0, 0.0, 2.0], np.float32)
    for _ in range(2):
        one, two = graph(x)
        np.testing.assert_array_equal(one, np.maximum(x, 0))
        np.testing.assert_allclose(two, 1 / (1 + np.exp(-one)), rtol=1e-6)


def test_graphs_of_one_source_do_not_disturb_each_other(model):
    source = kuiper.pnnx.read(model(TWO_OUTPUTS))
    mine = kuiper.registry.copy()
    mine.override("nn.ReLU", mine.find("nn.Sigmoid"))
    one, other = kuiper.RuntimeGraph.from_graph(source), kuiper.RuntimeGraph.from_graph(source, registry=mine)
    one.build()
    other.build()
    assert one(np.array([-1.0, 2.0], np.float32))[0].tolist() == [0, 2]
    assert source.operators[1].layer is None
    assert one.operands["1"].consumers == [one.operator("first"), one.operator("two")]
