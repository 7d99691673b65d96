"""`course demo PIECE --picture FILE`: a picture, and perhaps a network, of the user's own."""

from __future__ import annotations

from pathlib import Path

from classroom import gallery
from classroom.cli import base
from classroom.gallery.piece import DemoOptions
from classroom.gallery.show import bar, check_folder, errors_explained, ready, save_drawings
from classroom.page import say, styled
from kuiper.cli.model import find_model, load_model
from kuiper.cli.tasks import TASKS
from kuiper.cli.tasks import Wishes as TaskWishes
from kuiper.errors import KuiperError
from kuiper.inputs import PICTURES


def show_own(name: str, options: DemoOptions, out: Path) -> int:
    """Do to the picture what `kuiper run --task` does, and print and save the answer. Returns the exit code.

    The classes have the names of a labels.txt beside the network; without one they are named by how many they are
    (1,000 ImageNet's, 80 COCO's, 21 Pascal VOC's).
    """
    piece, picture = gallery.find(name), Path(str(options.picture))
    with errors_explained() as code:
        if picture.suffix.lower() not in PICTURES:
            raise KuiperError(f"--picture {picture}: expected a picture ({', '.join(PICTURES)})")
        check_folder(out)
        if options.model is None:
            ready(piece, out)
        model = find_model(options.model or str(piece.model))
        task = TASKS[name](TaskWishes(), model)
        graph = load_model(str(model), None)
        inputs = task.read([str(picture)], graph.input_operands)
        say(styled(f"{picture.name}, by {Path(str(graph.param)).name}", "bold"))
        say()
        with bar(f"demo {name}", len(graph.operators)) as advance:
            outputs = graph.forward(*inputs, on_operator=lambda operator, seconds: advance())
        base.show(task.answer(list(outputs)))
        save_drawings([(f"{picture.stem}_{name}", task.drawn)], out)
    return code[0]
