"""`course dev`, for course authors: check the homework, regenerate notebooks, figures and tables."""
