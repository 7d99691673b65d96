"""Entry point of the command `course`; without the command line's packages it still runs the default demo."""

from __future__ import annotations

import contextlib
import io
import sys

from classroom.started import COMMAND

MISSING = 'is not installed. The course\'s commands need it: pip install -e ".[cli]"'


def main() -> None:
    """Run the command line; exit code 2 for errors that were explained, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a character that the terminal cannot show must not crash the program
            stream.reconfigure(errors="replace")
    try:
        sys.exit(_run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # the reader (head, less) is gone; closing stdout again at exit must not fail
        with contextlib.suppress(OSError):
            sys.stdout.close()
        sys.exit(0)


def _run(arguments: list[str]) -> int:
    try:
        from classroom.cli import app
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package not in ("typer", "rich"):
            raise
        return _without_packages(package, arguments)
    app(arguments, prog_name=COMMAND)
    return 0


def _without_packages(package: str, arguments: list[str]) -> int:
    """Run the default demo, which needs only numpy; for everything else say what to install."""
    if arguments:
        print(f"course: {package} {MISSING}", file=sys.stderr)
        return 2
    from classroom.gallery.show import show_piece

    code = show_piece()
    print(f"\n{package} {MISSING}")
    return code


if __name__ == "__main__":
    main()
