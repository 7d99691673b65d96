"""Lessons 8 and 9: pictures in; names, boxes and masks out. Only arrays come in: the networks run elsewhere."""

from kuiper.scalars import softmax
from kuiper.vision.bilinear import resize
from kuiper.vision.boxes import corners, iou, non_maximum_suppression
from kuiper.vision.classify import Guess, preprocess, top_classes
from kuiper.vision.draw import draw_boxes, draw_guesses, draw_mask
from kuiper.vision.labels import labels_for, read_labels
from kuiper.vision.letterbox import Letterbox
from kuiper.vision.masks import MaskAgreement, compare_masks, segment
from kuiper.vision.normalization import IMAGENET, Normalization
from kuiper.vision.pictures import read_picture, save_picture
from kuiper.vision.precision import AveragePrecision, Truth, average_precision
from kuiper.vision.yolo import Detections, decode, detect, predictions

__all__ = [
    "IMAGENET",
    "AveragePrecision",
    "Detections",
    "Guess",
    "Letterbox",
    "MaskAgreement",
    "Normalization",
    "Truth",
    "average_precision",
    "compare_masks",
    "corners",
    "decode",
    "detect",
    "draw_boxes",
    "draw_guesses",
    "draw_mask",
    "iou",
    "labels_for",
    "non_maximum_suppression",
    "predictions",
    "preprocess",
    "read_labels",
    "read_picture",
    "resize",
    "save_picture",
    "segment",
    "softmax",
    "top_classes",
]
