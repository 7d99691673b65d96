"""classroom: the course around kuiper. The commands, the register of lessons, the launcher."""
