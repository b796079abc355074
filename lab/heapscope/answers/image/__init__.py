"""The heap inside a memory image: its blocks, what damaged it, what nothing points at, and whose
each block is."""
