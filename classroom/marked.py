"""The marks in a worked solution around what a student has to write, and the stub that is made of it.

    # <solution flatten>
    return x.reshape(-1)
    # </solution>

becomes a TODO with the task's number. Words after a colon, `# <solution functions: step 1 of 4>`, follow the number.
Marks at the margin leave a comment alone. What stands in `# <solution>` without a name, such as an import that the
solution alone needs, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

BEGIN = re.compile(r"([ \t]*)# <solution(?: (\w+)(?:: (.+))?)?>\s*")
END = re.compile(r"[ \t]*# </solution>\s*")


class MarksError(ValueError):
    """The marks in a solution do not fit together."""


def stub_of(solution: str, titles: Mapping[str, str]) -> str:
    """The file that students get. `titles` : exercise -> "Task 2.1", "Task 2.3, a bonus".

    Raises MarksError for a mark that is not closed or names no exercise, and an exercise without marks.
    """
    lines, inside, seen = list[str](), False, set[str]()
    for number, line in enumerate(solution.splitlines(keepends=True), 1):
        begin = BEGIN.fullmatch(line)
        if begin and inside:
            raise MarksError(f"line {number}: `# <solution ...>` inside another one")
        if begin:
            indent, exercise, words = begin.groups()
            if exercise:
                if exercise not in titles:
                    raise MarksError(f"line {number}: {exercise} is no exercise of this lesson in course.toml")
                seen.add(exercise)
                lines.append(f"{indent}# TODO {exercise} ({titles[exercise]}){': ' if words else ''}{words or ''}\n")
                if indent:
                    lines.append(f'{indent}raise NotImplementedError("{exercise}: TODO")\n')
            inside = True
        elif END.fullmatch(line):
            if not inside:
                raise MarksError(f"line {number}: `# </solution>` without a beginning")
            inside = False
        elif not inside:
            lines.append(line)
    missing = [exercise for exercise in titles if exercise not in seen]
    if inside or missing:
        raise MarksError(f"no `# <solution {missing[0]}>`" if missing else "the last `# <solution>` is not closed")
    return "".join(lines)


def without_marks(solution: str) -> str:
    """The solution without the lines that bear the marks."""
    lines = solution.splitlines(keepends=True)
    return "".join(line for line in lines if not BEGIN.fullmatch(line) and not END.fullmatch(line))
