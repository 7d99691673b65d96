"""The course's static site: lessons, exercises, operators and API, generated from the course's folder.

`build.py` fills a folder with pages, using one `pages_*.py` module per kind, and runs Sphinx on it. The lessons come
from course.toml. What students do not get is not shown (see `tree.Tree.shown`).
"""
