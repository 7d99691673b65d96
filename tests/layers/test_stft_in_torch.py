"""Short-time Fourier transform against PyTorch, there and back."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.signal.stft import ISTFT, STFT

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch advises against options that old models use


@st.composite
def options(draw):
    n_fft = draw(st.integers(2, 16))
    win_length = draw(st.none() | st.integers(1, n_fft))
    window = None
    if draw(st.booleans()):
        window = np.random.default_rng(0).uniform(0.1, 1, win_length or n_fft)
    return {
        "n_fft": n_fft,
        "hop_length": draw(st.none() | st.integers(1, n_fft)),
        "win_length": win_length,
        "window": window,
        "center": draw(st.booleans()),
        "normalized": draw(st.booleans()),
        "onesided": draw(st.sampled_from([None, True, False])),
    }


def in_torch(function, x, values):
    window = values["window"]
    return function(torch.from_numpy(x), **{**values, "window": None if window is None else torch.from_numpy(window)})


def same_or_refused(layer, function, x, values):
    """The result, when it is PyTorch's; None when both refuse."""
    try:
        expected = in_torch(function, x, values).numpy()
    except RuntimeError:
        with pytest.raises(KuiperError):
            layer(**values).forward(x)
        return None
    got = layer(**values).forward(x)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, atol=1e-4 if got.dtype in (np.float32, np.complex64) else 1e-9)
    return expected


@pytest.mark.slow
@given(
    values=options(),
    shape=st.sampled_from([(1, 40), (2, 33), (50,), (9,)]),
    dtype=st.sampled_from(["f4", "f8", "c8"]),
    pad_mode=st.sampled_from(["reflect", "constant", "replicate", "circular"]),
    return_complex=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_the_transform(values, shape, dtype, pad_mode, return_complex):
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    if values["window"] is not None:
        values["window"] = values["window"].astype("f8" if dtype == "f8" else "f4")
    same_or_refused(STFT, torch.stft, x, values | {"pad_mode": pad_mode, "return_complex": return_complex})


@pytest.mark.slow
@given(
    values=options(),
    shape=st.sampled_from([(1, 40), (2, 33), (50,)]),
    complex_signal=st.booleans(),
    length=st.none() | st.integers(1, 60),
)
@settings(max_examples=200, deadline=None)
def test_the_inverse(values, shape, complex_signal, length):
    assume(values["n_fft"] > 1)
    x = np.random.default_rng(0).normal(size=shape) + (1j if complex_signal else 0)
    try:
        spectrogram = in_torch(torch.stft, x, values | {"return_complex": True}).numpy()
    except RuntimeError:
        assume(False)
    for return_complex in (False, True):
        same_or_refused(ISTFT, torch.istft, spectrogram, values | {"length": length, "return_complex": return_complex})


@pytest.mark.parametrize("win_length", [8, 4, 2])
def test_the_first_window_may_start_with_the_signal(win_length):
    x = np.random.default_rng(0).normal(size=(2, 30))
    values = {"n_fft": 8, "win_length": win_length, "window": None, "center": False, "return_complex": True}
    assert same_or_refused(STFT, torch.stft, x, values | {"align_to_window": True}) is not None


class SameLength(torch.nn.Module):
    def forward(self, x):
        window = torch.hann_window(32)
        spectrogram = torch.stft(x, 32, window=window, return_complex=True)
        return torch.istft(spectrogram, 32, window=window, length=x.size(-1))


def test_an_exported_model_that_gives_back_as_many_elements_as_it_got(export):
    model, first, second = SameLength().eval(), torch.randn(3, 101), torch.randn(2, 125)
    graph = kuiper.load(export(model, first, dynamic=(second,)))
    for x in (first, second):
        np.testing.assert_allclose(graph(x.numpy())[0], x.numpy(), atol=1e-4)


class ThereAndBack(torch.nn.Module):
    def forward(self, x):
        window = torch.hann_window(20)
        a = torch.stft(x, 32, 8, 20, window, normalized=True, return_complex=True)
        b = torch.stft(x, 16, center=False, onesided=False, return_complex=True)
        c = torch.stft(x, 16, pad_mode="constant", return_complex=False)
        return a, b, c, torch.istft(a, 32, 8, 20, window, normalized=True, length=90), torch.istft(b, 16, center=False)


def test_an_exported_model_for_signals_of_any_number_and_length(export):
    model, first, second = ThereAndBack().eval(), torch.randn(3, 100), torch.randn(2, 120)
    graph = kuiper.load(export(model, first, dynamic=(second,)))
    for x in (first, second):
        for got, expected in zip(graph(x.numpy()), model(x), strict=True):
            assert got.dtype == expected.numpy().dtype
            np.testing.assert_allclose(got, expected.numpy(), atol=1e-4)
