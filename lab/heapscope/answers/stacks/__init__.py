"""How much of its stack each task may use, at most."""
