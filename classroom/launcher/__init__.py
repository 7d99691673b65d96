"""What course.py does: make the environment, keep it whole, run the course in it. Standard library only."""
