"""`course demo PIECE --picture FILE`: run on the user's own picture, optionally with their own network."""

from __future__ import annotations

from pathlib import Path

from classroom import gallery
from classroom.cli import base
from classroom.gallery.digits import tell_own
from classroom.gallery.piece import DemoOptions
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.show import bar, check_folder, errors_explained, ready, save_drawings
from classroom.page import say, styled
from kuiper.cli.model import find_model, load_model
from kuiper.cli.tasks import TASKS
from kuiper.cli.tasks import Wishes as TaskWishes
from kuiper.errors import KuiperError
from kuiper.inputs import PICTURES
from kuiper.vision import read_picture


def show_own(name: str, options: DemoOptions, out: Path) -> int:
    """Process the picture as `kuiper run --task` does; print and save the answer. Returns the exit code.

    Class names come from labels.txt beside the network, else from the number of classes (1,000: ImageNet, 80: COCO,
    21: Pascal VOC).
    """
    piece, picture = gallery.find(name), Path(str(options.picture))
    with errors_explained() as code:
        if picture.suffix.lower() not in PICTURES:
            raise KuiperError(f"--picture {picture}: expected a picture ({', '.join(PICTURES)})")
        if options.model is None:
            ready(piece, out)
        if name not in TASKS:
            pipeline = Pipeline(piece.model, piece.steps)
            shown = read_picture(picture)
            say(styled(f"{picture.name}, by {piece.model.name}", "bold"))
            say()
            tell_own(pipeline, shown)
            return code[0]
        check_folder(out)
        model = find_model(options.model or str(piece.model))
        task = TASKS[name](TaskWishes(), model)
        graph = load_model(str(model), None)
        inputs = task.read([str(picture)], graph.inputs)
        say(styled(f"{picture.name}, by {Path(str(graph.param)).name}", "bold"))
        say()
        with bar(f"demo {name}", len(graph.operators)) as advance:
            outputs = graph.forward(*inputs, on_operator=lambda operator, seconds: advance())
        base.show(task.answer(list(outputs)))
        save_drawings([(f"{picture.stem}_{name}", task.drawn)], out)
    return code[0]
