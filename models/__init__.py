"""Small trained networks, each beside the script that made it."""
