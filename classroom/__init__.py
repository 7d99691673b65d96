"""classroom: the course around kuiper: commands, register of lessons, launcher, judge, grader, site."""
