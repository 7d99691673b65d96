"""For those who write the course: proofs that the homework judges rightly, notebooks and figures regenerated."""
