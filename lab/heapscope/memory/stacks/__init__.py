"""The stacks of a firmware: frames and calls out of its machine code."""
