"""Named pools that grow by blocks: what they hold, and what they would hold with other sizes.

pool_trace.py   the pool events of a trace, and how its pools count
groups.py       pools whose sizes are one choice: an option's, or a name's
replayed.py     all groups together under chosen sizes
advise.py       the sizes that hold least, by how often the heap is asked
"""
