"""Configurations side by side: what each option that differs gives, and the steps of a staircase.

side.py           a configuration as the user names it, with its release
mixed_config.py   a configuration with some options of another one
option_change.py  the options that differ in their final values, and which of them go together
exchange.py       two sides, and how a figure's difference is divided among what differs
memory_gain.py    memory by state, divided so
speed_gain.py     throughput, divided so
difference.py     the rows of an answer
compared.py       makes them
"""
