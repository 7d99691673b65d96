"""What stops a grading."""


class GradingError(Exception):
    """Grading cannot go on: settings, folders or results are invalid or contradictory."""
