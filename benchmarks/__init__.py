"""Measurements side by side: kuiper and its peers on the same networks, in the same run."""
