"""The command line: `kuiper run | inspect | bench | partition | convert | chat`."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

import kuiper
from kuiper.cli import bench, chat, convert, inspect, partition, run
from kuiper.cli.text import complain
from kuiper.errors import KuiperError

EXAMPLES = """Examples:

kuiper inspect models/digits  (what is in it, and what it costs)

kuiper run models/digits --top 3  (one pass on random numbers)

kuiper run resnet18 cat.jpg --top 5  (a picture; see kuiper run --help)

kuiper run models/writer --task write --prompt "The function returns"  (a text that goes on)

kuiper bench resnet18 --profile  (how long each operator takes)

kuiper partition resnet18 --device onnxruntime --device torch  (split over two back ends)

kuiper convert downloads/SmolLM2-135M  (a published language model becomes a network for kuiper)

kuiper chat downloads/SmolLM2-135M  (and answers)
"""


class _Group(TyperGroup):
    """Turns every KuiperError of a command into its message and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KuiperError as error:
            complain(str(error))
        except MemoryError:
            complain("the network needs more memory than this machine gives; try a smaller input or batch")
        except KeyboardInterrupt:
            print(file=sys.stderr)
            raise typer.Exit(130) from None
        raise typer.Exit(2)


app = typer.Typer(
    name="kuiper",
    cls=_Group,
    help="Run, inspect and time networks that PNNX has exported.",
    epilog=EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", epilog=run.EXAMPLE)(run.run)
app.command("inspect", epilog=inspect.EXAMPLE)(inspect.inspect)
app.command("bench", epilog=bench.EXAMPLE)(bench.bench)
app.command("partition", epilog=partition.EXAMPLE)(partition.partition_)
app.command("convert", epilog=convert.EXAMPLE)(convert.convert_)
app.command("chat", epilog=chat.EXAMPLE)(chat.chat_)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kuiper {kuiper.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    pass
