"""Views, copies in another order, and resampling."""
