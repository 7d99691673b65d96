"""The course's static site: lessons, exercises, operators, API, made from what lies in the course's folder.

`build.py` fills a folder with pages, one module of `pages_*.py` for each kind, and has Sphinx make the site from it.
Nothing here lists the lessons: course.toml does. What students do not get is not shown (see `tree.Tree.shown`).
"""
