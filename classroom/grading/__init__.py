"""Grading: release the course, collect submissions, judge each in a sandbox, store the results, report them."""
