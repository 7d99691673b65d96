"""Files that grade books import."""
