"""How the constants of `heapscope predict` come about: fits, and their errors on what was left out.

evidence.py        the most likely constants under a prior, their covariance, the evidence
throughput_fit.py  the constants of throughput
memory_fit.py      the constants of available memory, and its bands where nothing was seen
left_out.py        rows, chips and SDK dates left out: errors, order, coverage of the bands
folds.py           what is left out together
fit.py             `python -m heapscope_studies.wifi_model.fit` writes the constants anew
"""
