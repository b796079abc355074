"""The heap as the log of a device tells it."""
