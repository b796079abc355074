"""The best configuration under needs: an exact search, with a proof in every answer.

space.py     knobs with their values, the larger of two terms, rules; as columns and rows
quantity.py  what a configuration costs: a convex function of sums over the knobs
search.py    the mixed-integer programme, and tangents until it agrees with the costs
options.py   knobs as options of a configuration, and the rules of config/ between them
wifi.py      throughputs and available memory of predict/ as quantities
needs.py     --need, --keep and --prefer, read and checked
question.py  one question: the answer, what binds, alternatives, the smallest relaxation
front.py     what can be had at once: the Pareto front
ranks.py     the published configurations against the best ones
result.py    what comes out
fragment.py  lines for sdkconfig.defaults, each with its reason
"""
