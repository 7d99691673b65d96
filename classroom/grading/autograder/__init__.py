"""Grading on upload: what Gradescope and GitHub Actions run, and the archive that holds it."""
