"""Entry point of the command `kuiper`: a clear sentence where the command line's own packages are not installed."""

from __future__ import annotations

import contextlib
import io
import sys


def main() -> None:
    """Run the command line; exit code 0, 2 for an error that has been explained, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a name that the terminal's encoding cannot show must not end the program
            stream.reconfigure(errors="backslashreplace")
    try:
        from kuiper.cli import app
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("typer", "rich"):
            raise
        message = f'kuiper: the command line needs {error.name}, which is not installed: pip install -e ".[cli]"'
        print(message, file=sys.stderr)
        sys.exit(2)
    try:
        app(prog_name="kuiper")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # the reader (head, less) has what it wanted; closing stdout again at exit must stay quiet
        with contextlib.suppress(OSError):
            sys.stdout.close()
        sys.exit(0)


if __name__ == "__main__":
    main()
