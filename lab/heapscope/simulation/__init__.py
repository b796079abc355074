"""A trace on a memory: replays, perturbed runs, and the records of both."""
