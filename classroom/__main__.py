"""`python -m classroom` is the command `course`."""

from classroom.main import main

main()
