"""The needs and gains of a configuration: RAM by component, available memory, Wi-Fi throughput.

wifi_table.py   the published rows and the chips, as data
posterior.py    the fit: most likely constants under a prior, their covariance, the evidence
throughput.py   1/T as a sum of terms of the knobs
memory.py       available memory as a sum of terms of the knobs
memory_band.py  how wide its bands are where nothing was seen
chosen.py       widths of priors and the like, chosen by evidence inside every loop
validate.py     rows, chips and SDK dates left out: errors, order, coverage of the bands
fit.py          `python -m heapscope.predict.fit` writes the constants anew
constants.py    the constants as written: what a prediction uses
"""
