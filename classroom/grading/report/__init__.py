"""What a class teaches its teacher: one page of statistics from a folder of results."""
