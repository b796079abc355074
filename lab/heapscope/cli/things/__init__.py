"""`heapscope THING`: the answer without a verb, a file for each kind of thing."""
