"""Grading: hand the course out, take submissions in, judge each in a sandbox, keep the results, report them."""
