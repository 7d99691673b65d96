"""The launcher behind course.py: create and maintain the environment, run the course in it. Standard library only."""
