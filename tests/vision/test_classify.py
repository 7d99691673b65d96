"""ImageNet's preprocessing as torchvision does it, and the most probable classes against torch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import KuiperError, ShapeError
from kuiper.vision import Normalization, preprocess, softmax, top_classes
from kuiper.vision.classify import shorter_side

Image = pytest.importorskip("PIL.Image", reason="reads pictures, and Pillow is not installed")


def by_torchvision(picture: np.ndarray, resize: int, crop: int) -> np.ndarray:
    """Resize, CenterCrop, ToTensor and Normalize as torchvision writes them for Pillow's pictures and for tensors."""
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    image = Image.fromarray(picture)
    w, h = image.size
    short, long = (w, h) if w <= h else (h, w)
    new_short, new_long = resize, int(resize * long / short)
    new_w, new_h = (new_short, new_long) if w <= h else (new_long, new_short)
    image = image.resize((new_w, new_h), Image.Resampling.BILINEAR)
    crop_top, crop_left = int(round((new_h - crop) / 2.0)), int(round((new_w - crop) / 2.0))  # noqa: RUF046
    image = image.crop((crop_left, crop_top, crop_left + crop, crop_top + crop))
    tensor = torch.from_numpy(np.array(image)).permute((2, 0, 1)).contiguous().to(torch.float32).div(255)
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    return tensor.sub_(mean.view(-1, 1, 1)).div_(std.view(-1, 1, 1))[None].numpy()


@pytest.mark.parametrize("shape", [(180, 270), (180, 91), (100, 100), (33, 180), (179, 257)])
@pytest.mark.parametrize(("resize", "crop"), [(256, 224), (342, 299), (64, 63)])
def test_preprocessing_is_torchvisions(scene: np.ndarray, shape: tuple[int, int], resize: int, crop: int) -> None:
    picture = scene[: shape[0], : shape[1]]
    found = preprocess(picture, resize=resize, crop=crop)
    assert (found.shape, found.dtype) == ((1, 3, crop, crop), np.float32)
    np.testing.assert_allclose(found, by_torchvision(picture, resize, crop), atol=1e-6)


def test_shrinking_averages_as_torchs_antialiased_interpolation(scene: np.ndarray) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    found = preprocess(scene, resize=60, crop=60, normalization=Normalization(scale=1.0))
    x = torch.from_numpy(scene.transpose(2, 0, 1)[None].astype(np.float32))
    resized = torch.nn.functional.interpolate(x, (60, 90), mode="bilinear", antialias=True)
    assert np.abs(found - resized[..., 15:75].numpy()).max() < 1.01


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 600))
def test_the_shorter_side_gets_the_pixels_and_the_shape_stays(h: int, w: int, pixels: int) -> None:
    height, width = shorter_side((h, w), pixels)
    assert min(height, width) == pixels
    assert abs(height * w - width * h) < max(h, w)


def test_the_crop_may_be_oblong_but_not_larger_than_the_picture(scene: np.ndarray) -> None:
    whole = preprocess(scene, resize=100, crop=(100, 150))
    assert whole.shape == (1, 3, 100, 150)
    np.testing.assert_array_equal(preprocess(scene, resize=100, crop=(60, 40))[0], whole[0, :, 20:80, 55:95])
    with pytest.raises(KuiperError, match="crop: expected at most 100x150, the resized picture, found 101x150"):
        preprocess(scene, resize=100, crop=(101, 150))


@pytest.mark.parametrize("picture", [np.zeros((5, 5), np.uint8), np.zeros((5, 5, 3)), np.zeros((0, 5, 3), np.uint8)])
def test_what_is_no_picture_is_refused(picture: np.ndarray) -> None:
    with pytest.raises(ShapeError, match=r"picture: expected \(H,W,3\) of uint8"):
        preprocess(picture)


@pytest.mark.parametrize("scale", [1.0, 50.0, 1e4])
def test_softmax_and_the_best_classes_are_torchs(scale: float) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    scores = np.random.default_rng(1).normal(0, scale, (3, 1000))
    expected = torch.softmax(torch.from_numpy(scores), 1)
    np.testing.assert_allclose(softmax(scores), expected.numpy(), atol=1e-12)
    values, numbers = expected[1].topk(7)
    for guess, value, number in zip(top_classes(scores[1], 7), values.tolist(), numbers.tolist(), strict=True):
        assert guess.probability == pytest.approx(value, abs=1e-12)
        assert guess.number == number or guess.probability < 1e-300


def test_probabilities_are_not_put_through_softmax_again() -> None:
    shares = softmax(np.random.default_rng(2).normal(size=10))
    assert [g.probability for g in top_classes(shares, 3)] == sorted(shares.tolist(), reverse=True)[:3]


def test_equal_scores_come_in_the_order_of_their_classes() -> None:
    assert [(g.number, g.label) for g in top_classes(np.zeros(4), 3, ["a", "b", "c", "d"])] == [
        (0, "a"),
        (1, "b"),
        (2, "c"),
    ]


def test_scores_that_are_none_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"\(classes,\), one row"):
        top_classes(np.zeros((1, 3)))
    with pytest.raises(KuiperError, match="nan or infinity"):
        top_classes(np.array([1, np.nan]))
