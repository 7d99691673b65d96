"""Entry point of the command `course`: it runs the main job even where the command line's packages are missing."""

from __future__ import annotations

import contextlib
import io
import sys

from classroom.started import COMMAND

MISSING = 'is not installed. The course\'s commands need it: pip install -e ".[cli]"'


def main() -> None:
    """Run the command line; exit code 2 for trouble that has been explained, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a character that the terminal cannot show must not end the program
            stream.reconfigure(errors="replace")
    try:
        sys.exit(_run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # the reader (head, less) has what it wanted; closing stdout again at exit must stay quiet
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
    """The main job needs numpy only; everything else says what to install."""
    if arguments:
        print(f"course: {package} {MISSING}", file=sys.stderr)
        return 2
    from classroom.gallery.show import show_piece

    code = show_piece()
    print(f"\n{package} {MISSING}")
    return code


if __name__ == "__main__":
    main()
