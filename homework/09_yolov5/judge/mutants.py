"""Wrong homework that the tests must see: pictures out of shape, boxes out of place, boxes too many or too few."""

from __future__ import annotations


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"exercise": exercise, "name": name, "why": why, "old": old, "new": new}


SCALE = "    scale = min(height / image.shape[0], width / image.shape[1])\n"
INNER = "    inner_height, inner_width = (max(1, round(size * scale)) for size in image.shape[:2])\n"
PLACE = "    top, left = (height - inner_height) // 2, (width - inner_width) // 2\n"
CANVAS = "    canvas = np.full((height, width, 3), GREY, np.uint8)\n"
RESIZED = "resize_picture(image, inner_height, inner_width)"
GIVEN = "    return canvas, scale, top, left"

_LETTERBOX = (
    ("stretched", "stretches the picture over the whole canvas", INNER,
     "    inner_height, inner_width = height, width\n"),
    ("corner", "puts the picture into the upper left corner", PLACE, "    top, left = 0, 0\n"),
    ("black", "leaves the bars black", CANVAS, CANVAS.replace("GREY", "0")),
    ("white", "fills the bars with the wrong grey", CANVAS, CANVAS.replace("GREY", "128")),
    ("larger_ratio", "takes the larger of the two scales, at which the picture does not fit", SCALE,
     SCALE.replace("min(", "max(")),
    ("exchanged_sides", "divides the height by the width", SCALE,
     "    scale = min(height / image.shape[1], width / image.shape[0])\n"
     "    scale = min(scale, height / image.shape[0], width / image.shape[1])\n"),
    ("height_only", "makes the height fit and cuts what is too wide", SCALE + INNER,
     "    scale = height / image.shape[0]\n"
     "    inner_height, inner_width = height, min(width, max(1, round(image.shape[1] * scale)))\n"),
    ("width_height", "calls resize with (width, height), as OpenCV has it", RESIZED,
     "resize_picture(image.swapaxes(0, 1), inner_width, inner_height).reshape(inner_height, inner_width, 3)"),
    ("cut_off", "cuts the new size off instead of rounding it", INNER, INNER.replace("round(", "int(")),
    ("rounded_up", "rounds the new size up", INNER,
     INNER.replace("max(1, round(size * scale))", "-int(-size * scale // 1)")),
    ("no_least", "lets nothing be left of a thin picture", INNER, INNER.replace("max(1, round(size * scale))",
                                                                           "round(size * scale)")),
    ("odd_above", "puts the odd pixel above and at the left", PLACE,
     "    top, left = (height - inner_height + 1) // 2, (width - inner_width + 1) // 2\n"),
    ("real_places", "returns the width of the bar as a real number", GIVEN,
     "    return canvas, scale, (height - inner_height) / 2, (width - inner_width) / 2"),
    ("never_grows", "does not enlarge, as the original course's Letterbox", SCALE,
     SCALE.replace("min(", "min(1.0, ")),
    ("top_left_exchanged", "returns left before top", GIVEN, "    return canvas, scale, left, top"),
    ("inverse", "returns 1 / scale, as the original course's Letterbox", GIVEN,
     "    return canvas, 1 / scale, top, left"),
    ("two_scales", "returns the scale of the rounded height", GIVEN,
     "    return canvas, inner_height / image.shape[0], top, left"),
    ("bars_first", "adds the bars first, so that grey and picture mix at the edge", CANVAS,
     "    high, wide = max(image.shape[0], round(height / scale)), max(image.shape[1], round(width / scale))\n"
     "    square = np.full((high, wide, 3), GREY, np.uint8)\n"
     "    a, b = (high - image.shape[0]) // 2, (wide - image.shape[1]) // 2\n"
     "    square[a : a + image.shape[0], b : b + image.shape[1]] = image\n"
     "    return resize_picture(square, height, width), scale, top, left\n" + CANVAS),
    ("floats", "makes a canvas of floats", CANVAS, CANVAS.replace(", np.uint8", ", np.float32")),
    ("nearest", "takes the nearest pixel instead of the given resize", RESIZED,
     "image[np.arange(inner_height) * image.shape[0] // inner_height][\n"
     "        :, np.arange(inner_width) * image.shape[1] // inner_width\n    ]"),
)  # fmt: skip

SPLIT = "    y = sigmoid(raw).reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)\n"
CELL = "    cell = np.stack([column, row], -1)\n"
CENTRE = "    centre = (2 * y[..., :2] - 0.5 + cell) * stride\n"
EXTENT = "    extent = (2 * y[..., 2:4]) ** 2 * anchors[:, None, None]\n"
ROWS = "    rows = np.concatenate([centre, extent, y[..., 4:]], -1)\n"
FLAT = "    return rows.reshape(kinds * height * width, -1).astype(np.float32)"

_DECODE = (
    ("cell_exchanged", "adds the row to x and the column to y", CELL, "    cell = np.stack([row, column], -1)\n"),
    ("no_cell", "forgets the cell", CENTRE, CENTRE.replace(" + cell", "")),
    ("no_stride", "leaves the centres in cells", CENTRE, CENTRE.replace(" * stride", "")),
    ("stride_of_the_cell_only", "multiplies the cell by the stride, and not the shift", CENTRE,
     "    centre = 2 * y[..., :2] - 0.5 + cell * stride\n"),
    ("no_half", "forgets the 0.5, which the original course's grid contains already", CENTRE,
     CENTRE.replace(" - 0.5", "")),
    ("half_added", "adds the 0.5, as if the grid were the middles of the cells", CENTRE,
     CENTRE.replace("- 0.5", "+ 0.5")),
    ("version_three", "decodes as YOLOv3 did: the sigmoid plus the cell", CENTRE,
     "    centre = (y[..., :2] + cell) * stride\n"),
    ("exponential", "takes e^w for the width, as YOLOv3 did", EXTENT,
     "    extent = (\n        np.exp(raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)[..., 2:4])"
     " * anchors[:, None, None]\n    )\n"),
    ("no_square", "forgets the square", EXTENT, EXTENT.replace(" ** 2", "")),
    ("half_of_the_square", "squares the sigmoid, and doubles it afterwards", EXTENT,
     "    extent = 2 * y[..., 2:4] ** 2 * anchors[:, None, None]\n"),
    ("first_anchor", "takes the first anchor for every box", EXTENT,
     EXTENT.replace("anchors[:, None, None]", "anchors[0]")),
    ("anchors_turned", "takes the anchors from the last to the first", EXTENT,
     EXTENT.replace("anchors[:,", "anchors[::-1,")),
    ("height_width", "takes an anchor for height and width", EXTENT,
     EXTENT.replace("anchors[:, None, None]", "anchors[:, None, None, ::-1]")),
    ("anchors_in_cells", "takes the anchors for multiples of the stride", EXTENT,
     EXTENT.replace("anchors[:", "stride * anchors[:")),
    ("values_first", "splits the channels into (5+K, A)", SPLIT,
     "    y = sigmoid(raw).reshape(-1, kinds, height, width).transpose(1, 2, 3, 0)\n"),
    ("only_reshaped", "reshapes where the numbers of a box have to be brought together first", SPLIT,
     "    y = sigmoid(raw).reshape(kinds, height, width, -1)\n"),
    ("columns_first", "reads the cells column by column", FLAT,
     "    return rows.swapaxes(1, 2).reshape(kinds * height * width, -1).astype(np.float32)"),
    ("cells_first", "puts the anchors of a cell one after the other", FLAT,
     "    return rows.transpose(1, 2, 0, 3).reshape(kinds * height * width, -1).astype(np.float32)"),
    ("objectness_multiplied", "multiplies the classes by the objectness, which comes later", ROWS,
     "    rows = np.concatenate([centre, extent, y[..., 4:5], y[..., 4:5] * y[..., 5:]], -1)\n"),
    ("raw_classes", "forgets the sigmoid of the classes", ROWS,
     "    bare = raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)\n"
     "    rows = np.concatenate([centre, extent, y[..., 4:5], bare[..., 5:]], -1)\n"),
    ("softmax_classes", "takes the softmax of the classes, as a classifier does", ROWS,
     "    powers = np.exp(raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)[..., 5:] / 10)\n"
     "    shares = powers / powers.sum(-1, keepdims=True)\n"
     "    rows = np.concatenate([centre, extent, y[..., 4:5], shares], -1)\n"),
    ("corners", "returns corners where centre and size are asked for", ROWS,
     "    rows = np.concatenate([centre - extent / 2, centre + extent / 2, y[..., 4:]], -1)\n"),
    ("always_float64", "forgets the element type", FLAT, FLAT.replace(".astype(np.float32)", ".astype(np.float64)")),
    ("square_heads", "takes the head for square", "np.indices((height, width), np.float32)",
     "np.indices((width, height), np.float32).reshape(2, height, width)"),
)  # fmt: skip

COMMON = "    common = np.clip(high - low, 0, None).prod(axis=1)\n"
AREAS = "    areas = (others[:, 2:] - others[:, :2]).prod(axis=1)\n"
TOGETHER = "    together = (box[2:] - box[:2]).prod() + areas - common\n"
SORTED = '    left = np.argsort(-scores, kind="stable")\n'
GONE = "        gone = (classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > threshold)\n"
STAY = "        stay.append(int(best))\n"
END = "    return stay\n"

_SUPPRESSION = (
    ("any_class", "lets boxes of different classes compete, as cv2.dnn.NMSBoxes in the original course", GONE,
     "        gone = overlap(boxes[best], boxes[left]) > threshold\n"),
    ("none", "suppresses nothing", GONE, "        gone = np.zeros(len(left), bool)\n"),
    ("one_per_class", "keeps the best box of each class only", GONE, "        gone = classes[left] == classes[best]\n"),
    ("or_equal", "suppresses at the threshold itself", GONE, GONE.replace("> threshold", ">= threshold")),
    ("fixed_threshold", "ignores the threshold that is given", GONE, GONE.replace("> threshold", "> 0.45")),
    ("below", "suppresses what overlaps least", GONE, GONE.replace("> threshold", "< threshold")),
    ("score_threshold", "drops the boxes whose scores are not above the threshold", SORTED,
     SORTED + "    left = left[scores[left] > threshold]\n"),
    ("positive_scores", "drops scores of 0 and less", SORTED, SORTED + "    left = left[scores[left] > 0]\n"),
    ("union_twice", "does not subtract what is in common", TOGETHER, TOGETHER.replace(" - common", "")),
    ("smaller_area", "divides by the smaller of the two areas", TOGETHER,
     "    together = np.minimum((box[2:] - box[:2]).prod(), areas)\n"),
    ("first_area", "divides by the area of the best box", TOGETHER,
     "    together = np.broadcast_to((box[2:] - box[:2]).prod(), areas.shape)\n"),
    ("width_height", "takes the third and fourth number for width and height", AREAS + TOGETHER,
     "    areas = others[:, 2:].prod(axis=1)\n    together = box[2:].prod() + areas - common\n"),
    ("not_clipped", "multiplies two negative lengths to an area", COMMON, COMMON.replace("np.clip(high - low, 0, None)",
                                                                                "(high - low)")),
    ("one_pixel_more", "counts pixels: x2 - x1 + 1, as old programs do", COMMON + AREAS + TOGETHER,
     "    common = np.clip(high - low + 1, 0, None).prod(axis=1)\n"
     "    areas = (others[:, 2:] - others[:, :2] + 1).prod(axis=1)\n"
     "    together = (box[2:] - box[:2] + 1).prod() + areas - common\n"),
    ("union_of_the_hull", "divides by the box around both", TOGETHER,
     "    hull = np.maximum(box[2:], others[:, 2:]) - np.minimum(box[:2], others[:, :2])\n"
     "    together = hull.prod(axis=1) + 0 * areas\n"),
    ("worst_first", "begins with the lowest score", SORTED, SORTED.replace("-scores", "scores")),
    ("unsorted", "takes the boxes in the order in which they come", SORTED, "    left = np.arange(len(scores))\n"),
    ("later_first", "of equal scores the later one wins: sorted upwards and turned round", SORTED,
     '    left = np.argsort(scores, kind="stable")[::-1]\n'),
    ("positions", "returns places in the sorted order", END,
     '    order = np.argsort(-scores, kind="stable").tolist()\n    return [order.index(i) for i in stay]\n'),
    ("by_index", "returns the right boxes in the order in which they came", END, "    return sorted(stay)\n"),
    ("chained", "lets a box that has gone suppress others", GONE + "        left = left[~gone]\n",
     GONE + "        grown = True\n        while grown:\n"
     "            more = gone.copy()\n"
     "            for i in np.flatnonzero(gone):\n"
     "                same = classes[left] == classes[best]\n"
     "                more |= same & (overlap(boxes[left[i]], boxes[left]) > threshold)\n"
     "            grown, gone = bool((more & ~gone).any()), more\n"
     "        left = left[~gone]\n"),
    ("neighbour_only", "compares each box with the one before it only", GONE,
     GONE + "        gone[1:] = False\n"),
    ("offset", "moves each class by 640 pixels so that classes do not meet", GONE,
     "        moved = boxes + 640 * classes[:, None].astype(np.float32)\n"
     "        gone = overlap(moved[best], moved[left]) > threshold\n"),
    ("array", "returns numpy's numbers", STAY, "        stay.append(best)\n"),
    ("empty", "cannot do without boxes", SORTED, SORTED + "    assert len(left)\n"),
    ("no_area", "divides 0 by 0, and what is not less counts as more", GONE,
     '        with np.errstate(all="ignore"):\n'
     "            low = np.maximum(boxes[best][:2], boxes[left][:, :2])\n"
     "            high = np.minimum(boxes[best][2:], boxes[left][:, 2:])\n"
     "            common = np.clip(high - low, 0, None).prod(axis=1)\n"
     "            areas = (boxes[left][:, 2:] - boxes[left][:, :2]).prod(axis=1)\n"
     "            share = common / ((boxes[best][2:] - boxes[best][:2]).prod() + areas - common)\n"
     "        gone = (classes[left] == classes[best]) & ~(share <= threshold)\n"),
    ("one_pass", "decides in one pass against all better boxes, gone or not", GONE,
     GONE + "        better = [k for k in range(len(scores)) if scores[k] > scores[best]]\n"
     "        rival = [k for k in better if classes[k] == classes[best]]\n"
     "        if rival and (overlap(boxes[best], boxes[rival]) > threshold).any():\n"
     "            stay.pop()\n            continue\n"),
)  # fmt: skip

MOVED = "    moved = (boxes - np.array([left, top, left, top])) / scale\n"
CLIPPED = "    return np.clip(moved, 0, [width, height, width, height]).astype(np.float32)"

_RESTORE = (
    ("not_moved", "does not subtract the bars", MOVED, "    moved = boxes / scale\n"),
    ("divided_first", "divides before it subtracts", MOVED,
     "    moved = boxes / scale - np.array([left, top, left, top])\n"),
    ("exchanged", "subtracts top from x and left from y", MOVED, MOVED.replace("left, top, left, top",
                                                                       "top, left, top, left")),
    ("multiplied", "multiplies by the scale", MOVED, MOVED.replace(") / scale", ") * scale")),
    ("not_scaled", "subtracts the bars and leaves the scale", MOVED, MOVED.replace(") / scale", ")")),
    ("first_corner", "moves the first corner only, as if the others were width and height", MOVED,
     MOVED.replace("left, top, left, top", "left, top, 0, 0")),
    ("own_scale", "works the scale out anew, from a canvas of 640 pixels and the picture, as the original course does",
     MOVED, "    gain = min(640 / height, 640 / width)\n"
     "    pad = np.array([(640 - width * gain) // 2, (640 - height * gain) // 2] * 2)\n"
     "    moved = (boxes - pad) / gain\n"),
    ("not_clipped", "lets boxes reach beyond the picture", CLIPPED, "    return moved.astype(np.float32)"),
    ("clipped_below", "clips at 0 only", CLIPPED, "    return np.clip(moved, 0, None).astype(np.float32)"),
    ("clipped_above", "clips at the far edge only", CLIPPED, CLIPPED.replace("moved, 0,", "moved, None,")),
    ("clipped_across", "clips x to the height and y to the width", CLIPPED,
     CLIPPED.replace("width, height, width, height", "height, width, height, width")),
    ("clipped_on_the_canvas", "clips before it goes back", CLIPPED,
     "    return np.clip(moved * scale, 0, [width, height, width, height]).astype(np.float32) / np.float32(scale)"),
    ("last_pixel", "clips to W - 1 and H - 1", CLIPPED,
     CLIPPED.replace("width, height, width, height", "width - 1, height - 1, width - 1, height - 1")),
    ("whole_pixels", "rounds to whole pixels", CLIPPED, CLIPPED.replace("(moved,", "(np.round(moved),")),
    ("integers", "returns whole numbers", CLIPPED, CLIPPED.replace("np.float32", "np.int64")),
    ("always_float64", "forgets the element type", CLIPPED, CLIPPED.replace(".astype(np.float32)", "")),
    ("boxes_dropped", "drops the boxes that reach beyond the picture", CLIPPED,
     "    inside = (moved >= 0).all(axis=1) & (moved <= [width, height, width, height]).all(axis=1)\n"
     "    return moved[inside].astype(np.float32)"),
    ("at_least_one", "fails without boxes", MOVED, MOVED + "    moved[0] += 0\n"),
)  # fmt: skip

MUTANTS = [
    *(_mutant("letterbox", *rest) for rest in _LETTERBOX),
    *(_mutant("decode", *rest) for rest in _DECODE),
    *(_mutant("non_maximum_suppression", *rest) for rest in _SUPPRESSION),
    *(_mutant("restore", *rest) for rest in _RESTORE),
]
