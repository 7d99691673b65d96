"""Import the framework before pytest collects its files for their doctests: each layer is then registered once."""

import kuiper

assert kuiper.registry
