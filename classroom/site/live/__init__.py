"""Python in the pages of the site: the runtime, the course's archive, and what pages say to the scripts."""
