"""Read what students handed in, from whatever a course system exports."""
