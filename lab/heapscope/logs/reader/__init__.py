"""The lines of a device's log: the facts in them, and what these add up to."""
