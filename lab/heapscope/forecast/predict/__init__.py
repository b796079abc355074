"""The needs and gains of a configuration: RAM by component, available memory, Wi-Fi throughput.

wifi_table.py   the published rows and the chips, as data
throughput.py   1/T as a sum of terms of the knobs
memory.py       available memory as a sum of terms of the knobs
posterior.py    constants and how well they are known
constants.py    the constants as written: what a prediction uses (heapscope-studies fits them)
guess.py        a prediction and its band
"""
