"""`course mine`: a framework of the student's own, made of the solved exercises and a given skeleton."""
