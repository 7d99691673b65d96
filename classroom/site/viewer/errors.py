"""What is wrong with a network that is to be shown."""


class ViewerError(Exception):
    """The network cannot be shown; the message says what was expected and what was found."""
