"""What a student reads about the homework: the page, comments by hand, when it is shown, and a table to mail it."""

from classroom.grading.feedback.page import feedback_page

__all__ = ["feedback_page"]
