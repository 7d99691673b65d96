"""The site's search: `records` has what can be found, `words` what readers also call it; static/search.js ranks.

Lessons, exercises, terms, operators and guides come before the API; tests and source files are not in it. The index is
a script that the search page alone loads, so that it works from a plain folder.
"""
