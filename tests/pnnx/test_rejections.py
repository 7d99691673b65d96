"""What a reader must reject: each with the file, the line, what was expected and what came."""

from __future__ import annotations

import tracemalloc
import zipfile

import numpy as np
import pytest

from kuiper import KuiperError, pnnx
from kuiper.errors import ModelFormatError
from kuiper.pnnx.reader import LARGEST_FILE

INPUT = "pnnx.Input in 0 1 0 #0=(1,4)f32"
OUTPUT = "pnnx.Output out 1 0 1"
LINEAR = "nn.Linear fc 1 1 0 1 @weight=(3,4)f32"
WEIGHT = np.arange(12, dtype="<f4")


def fault(tmp_path, text, entries=None):
    """The error that reading the text gives."""
    path = tmp_path / "net.pnnx.param"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if entries is not None:
        with zipfile.ZipFile(tmp_path / "net.pnnx.bin", "w") as archive:
            for name, data in entries.items():
                archive.writestr(name, data)
    with pytest.raises(ModelFormatError) as caught:
        pnnx.read(path)
    assert isinstance(caught.value, KuiperError)
    assert str(path) in str(caught.value)
    return caught.value


def file(*lines, header=None):
    words = [line.split() for line in lines]
    operands = {name for w in words for name in w[4 : 4 + int(w[2]) + int(w[3])]} if header is None else ()
    return "\n".join(["7767517", header or f"{len(lines)} {len(operands)}", *lines]) + "\n"


@pytest.mark.parametrize(
    "text", ["", "\n", "hello\n", "7767518\n0 0\n", "7767517 1\n0 0\n", "\ufeff7767517\n0 0\n", "PK\3\4", "7767517.0\n"]
)
def test_a_file_that_is_not_pnnx(tmp_path, text):
    error = fault(tmp_path, text)
    assert error.line == 1
    assert "7767517" in error.expected


@pytest.mark.parametrize(
    "header",
    ["", "2", "2 2 2", "two 2", "-2 2", "2 -2", "2.0 2", "9" * 30 + " 2", "9" * 5000 + " 2", "1_0 2", "+2 2", "٢ 2"],
)
def test_a_header_that_is_not_two_counts(tmp_path, header):
    assert fault(tmp_path, f"7767517\n{header}\n{INPUT}\n").line == 2


def test_a_file_that_ends_after_the_first_line(tmp_path):
    assert fault(tmp_path, "7767517").line == 2


@pytest.mark.parametrize("count", [0, 1, 3, 10**18 - 1])
def test_an_operator_count_that_differs_from_the_header(tmp_path, count):
    error = fault(tmp_path, file(INPUT, "pnnx.Output out 1 0 0", header=f"{count} 1"))
    assert error.line == 2
    assert "(2)" in error.expected
    assert error.found == str(count)


@pytest.mark.parametrize("count", [0, 2, 10**18 - 1])
def test_an_operand_count_that_differs_from_the_header(tmp_path, count):
    error = fault(tmp_path, file(INPUT, "pnnx.Output out 1 0 0", header=f"2 {count}"))
    assert error.line == 2
    assert "(1)" in error.expected
    assert error.found == str(count)


@pytest.mark.parametrize(
    "line",
    [
        "nn.ReLU",
        "nn.ReLU relu 1",
        "nn.ReLU relu one 1 0 1",
        "nn.ReLU relu -1 1 0 1",
        "nn.ReLU relu 1 1.0 0 1",
        "nn.ReLU b c 1 1 0 1",
        "nn.ReLU relu 1 1 0",
        "nn.ReLU relu 2 1 0 1 inplace=True",
        "nn.ReLU relu 999999999999999999 1 0 1",
        "nn.ReLU relu 9999999999999999999999 1 0 1",
    ],
)
def test_a_malformed_line(tmp_path, line):
    assert fault(tmp_path, file(INPUT, line, OUTPUT, header="3 2")).line == 4


def test_an_operand_read_that_nothing_produces(tmp_path):
    error = fault(tmp_path, file(INPUT, "nn.ReLU relu 1 1 7 1", OUTPUT, header="3 2"))
    assert (error.line, error.found) == (4, "7")


def test_an_operand_produced_twice(tmp_path):
    error = fault(tmp_path, file(INPUT, "pnnx.Input again 0 1 0", header="2 1"))
    assert error.line == 4
    assert "line 3" in error.found


def test_an_operand_produced_twice_by_one_operator(tmp_path):
    assert fault(tmp_path, file(INPUT, "torch.chunk c 1 2 0 1 1")).line == 4


def test_a_duplicate_operator_name(tmp_path):
    error = fault(tmp_path, file(INPUT, "nn.ReLU in 1 1 0 1"))
    assert (error.line, error.found) == (4, "in")
    assert "line 3" in error.expected


@pytest.mark.parametrize("token", ["inplace", "5", "#0", "$input", "@weight", "=5", "#=(1)f32", "$=0", "@=(1)f32"])
def test_a_token_that_is_not_key_and_value(tmp_path, token):
    error = fault(tmp_path, file(INPUT, f"nn.ReLU relu 1 1 0 1 {token}", header="2 2"))
    assert (error.line, error.found) == (4, token)


@pytest.mark.parametrize("token", ["#9=(1)f32", "$input=9", "$input=1", "$input="])
def test_a_shape_or_name_of_a_foreign_operand(tmp_path, token):
    assert fault(tmp_path, file(INPUT, f"nn.ReLU relu 1 1 0 1 {token}")).line == 4


def test_more_names_than_slots(tmp_path):
    assert fault(tmp_path, file(INPUT, "nn.ReLU relu 1 1 0 1 $input=0 $other=0")).line == 4


@pytest.mark.parametrize("again", ["dim=1 dim=2", "dim=1 dim=1"])
def test_a_parameter_given_twice(tmp_path, again):
    assert fault(tmp_path, file(INPUT, f"nn.Softmax s 1 1 0 1 {again}")).line == 4


@pytest.mark.parametrize(
    "shape", ["f32", "(1,4f32", "1,4)f32", "(1,4)", "(1,4)f99", "(1,4)F32", "(1,4)f32x", "(1)(2)f32"]
)
@pytest.mark.parametrize("key", ["#0", "@weight"])
def test_a_shape_without_brackets_or_with_an_unknown_type(tmp_path, key, shape):
    assert fault(tmp_path, file(f"pnnx.Input in 0 1 0 {key}={shape}")).line == 3


@pytest.mark.parametrize("shape", ["(,)f32", "(1,)f32", "(1.5)f32", "(x)f32", "(-2)f32", "(1,4 )f32", "(٣)f32"])
def test_a_dimension_that_is_no_number(tmp_path, shape):
    assert fault(tmp_path, file(f"pnnx.Input in 0 1 0 #0={shape}", header="1 1")).line == 3


@pytest.mark.parametrize("shape", ["(?,4)f32", "(-3,4)f32", "(-1,4)f32", "(3,4)null"])
def test_a_weight_whose_size_is_not_known(tmp_path, shape):
    error = fault(tmp_path, file(INPUT, f"nn.Linear fc 1 1 0 1 @weight={shape}"), {"fc.weight": WEIGHT.tobytes()})
    assert error.line == 4
    assert "@weight" in error.expected


def test_a_weight_without_a_bin(tmp_path):
    error = fault(tmp_path, file(INPUT, LINEAR, OUTPUT))
    assert error.line == 4
    assert "net.pnnx.bin" in error.expected


def test_a_weight_that_is_missing_from_the_bin(tmp_path):
    error = fault(tmp_path, file(INPUT, LINEAR, OUTPUT), {"fc.bias": b""})
    assert error.line == 4
    assert "fc.weight" in error.expected


@pytest.mark.parametrize("size", [0, 47, 49, 96])
def test_a_weight_whose_size_differs_from_shape_times_type(tmp_path, size):
    error = fault(tmp_path, file(INPUT, LINEAR, OUTPUT), {"fc.weight": bytes(size)})
    assert error.line == 4
    assert "48 bytes" in error.expected
    assert error.found == f"{size} bytes"


def test_a_weight_given_twice(tmp_path):
    lines = file(INPUT, LINEAR + " @weight=(3,4)f32", OUTPUT)
    assert fault(tmp_path, lines, {"fc.weight": WEIGHT.tobytes()}).line == 4


@pytest.mark.parametrize(
    "shape", ["(1000000,1000000)", "(999999999999999999,999999999999999999)", "(0,999999999999999999,99999999999)"]
)
def test_a_weight_of_absurd_size_is_refused_before_anything_is_allocated(tmp_path, shape):
    tracemalloc.start()
    error = fault(tmp_path, file(f"pnnx.Attribute a 0 1 0 @data={shape}f32"), {"a.data": b""})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.line == 3
    assert peak < 10_000_000


def test_a_weight_of_more_axes_than_numpy_has(tmp_path):
    error = fault(tmp_path, file(f"pnnx.Attribute a 0 1 0 @data=({'1,' * 99}1)f32"), {"a.data": bytes(4)})
    assert error.line == 3


def test_a_damaged_weight(tmp_path):
    path = tmp_path / "net.pnnx.bin"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("fc.weight", WEIGHT.tobytes())
    data = path.read_bytes()
    path.write_bytes(data.replace(WEIGHT[5:6].tobytes(), WEIGHT[6:7].tobytes(), 1))
    error = fault(tmp_path, file(INPUT, LINEAR, OUTPUT))
    assert error.line == 4
    assert "CRC" in error.expected


def test_a_damaged_weight_is_not_noticed_when_nobody_asks(tmp_path):
    path = tmp_path / "net.pnnx.bin"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("fc.weight", WEIGHT.tobytes())
    path.write_bytes(path.read_bytes().replace(WEIGHT[5:6].tobytes(), WEIGHT[6:7].tobytes(), 1))
    (tmp_path / "net.pnnx.param").write_text(file(INPUT, LINEAR, OUTPUT))
    weight = pnnx.read(tmp_path / "net.pnnx.param", verify=False).operator("fc").attributes["weight"]
    assert weight.data[1, 1] == 6


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compressed_weight(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "net.pnnx.bin", "w", method) as archive:
        archive.writestr("fc.weight", WEIGHT.tobytes())
    error = fault(tmp_path, file(INPUT, LINEAR, OUTPUT))
    assert error.line == 4
    assert "without compression" in error.expected


@pytest.mark.parametrize("other", ["(1,5)f32", "(1,4)f64", "(1,?)f32", "(1,4)null", "(4)f32"])
def test_shapes_of_one_operand_that_disagree(tmp_path, other):
    error = fault(tmp_path, file(INPUT, f"nn.ReLU relu 1 1 0 1 #0={other}", OUTPUT))
    assert (error.line, error.found) == (4, other)
    assert "(1,4)f32, as line 3 says" in error.expected


def test_a_cycle_is_named(tmp_path):
    error = fault(
        tmp_path,
        file(INPUT, "nn.ReLU after 1 1 3 4", "torch.add a 2 1 0 3 1", "nn.ReLU b 1 1 1 2", "nn.ReLU c 1 1 2 3"),
    )
    assert error.line == 5
    assert "cycle" in error.expected
    assert error.found == "a -> b -> c -> a"


def test_an_operator_that_reads_its_own_output(tmp_path):
    error = fault(tmp_path, file(INPUT, "nn.ReLU relu 1 1 1 1", header="2 2"))
    assert (error.line, error.found) == (4, "relu -> relu")


def test_a_long_cycle_is_shortened(tmp_path):
    error = fault(tmp_path, file(*(f"nn.ReLU r{i} 1 1 {i} {(i + 1) % 5000}" for i in range(5000))))
    assert "cycle" in error.expected
    assert len(str(error)) < 1000


def test_bytes_that_are_no_utf_8(tmp_path):
    error = fault(tmp_path, b"7767517\n1 1\npnnx.Input \xff\xfe 0 1 0\n")
    assert error.line == 3
    assert "UTF-8" in error.expected


def test_a_nul_byte(tmp_path):
    assert fault(tmp_path, "7767517\n1 1\npnnx.Input i\0n 0 1 0\n").line == 3


def test_an_integer_of_thousands_of_digits(tmp_path):
    assert fault(tmp_path, file(f"pnnx.Input in 0 1 0 k={'9' * 5000}")).line == 3


def test_a_huge_line(tmp_path):
    error = fault(tmp_path, file(f"pnnx.Input in 0 1 0 k={'x' * (2 << 20)}"))
    assert error.line == 3
    assert len(str(error)) < 1000


def test_a_long_token_is_shortened_in_the_message(tmp_path):
    assert len(str(fault(tmp_path, file(f"pnnx.Input in 0 1 0 {'x' * 100_000}")))) < 1000


def test_a_text_file_of_absurd_length(tmp_path):
    path = tmp_path / "net.pnnx.param"
    with open(path, "wb") as sparse:
        sparse.truncate(LARGEST_FILE + 1)
    tracemalloc.start()
    with pytest.raises(ModelFormatError, match="a longer one"):
        pnnx.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ModelFormatError, match="no such file") as caught:
        pnnx.read(tmp_path / "nowhere.pnnx.param")
    assert "nowhere.pnnx.param" in str(caught.value)
    assert caught.value.line is None


@pytest.mark.parametrize("path", ["", ".", "/", "a\0b", "x" * 5000])
def test_a_path_that_is_no_file(path):
    with pytest.raises(ModelFormatError):
        pnnx.read(path)


def test_a_directory_in_place_of_the_text_file(tmp_path):
    with pytest.raises(ModelFormatError, match="a directory"):
        pnnx.read(tmp_path)


def test_a_directory_in_place_of_the_weights(tmp_path):
    (tmp_path / "net.pnnx.bin").mkdir()
    (tmp_path / "net.pnnx.param").write_text(file(INPUT, LINEAR, OUTPUT))
    with pytest.raises(ModelFormatError) as caught:
        pnnx.read(tmp_path / "net.pnnx.param")
    assert "net.pnnx.bin" in str(caught.value)
