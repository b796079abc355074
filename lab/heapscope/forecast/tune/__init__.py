"""The best configuration under goals: an exact search, with a proof in every answer.

space.py        knobs with their values, the larger of two terms, rules; as columns and rows
quantity.py     what a configuration costs: a convex function of sums over the knobs
lower_bound.py   the linear programme below a question: a bound, by tangents of the costs
pairing.py      bounds of the larger of two terms, for fractions of values
grid.py         some values of each knob, and the costs of all their choices
search.py       the exact optimum, by bounds
options.py      knobs as options of a configuration, and the rules of config/ between them
wifi.py         throughputs and available memory of predict/ as quantities
goals.py        --goal, --keep and --prefer, read and checked
question.py     one question: the answer, what binds, alternatives, the smallest relaxation
front.py        what can be had at once: the Pareto front
ranks.py        the published configurations against the best ones
trades.py       options that give memory back for something that no model weighs
least_trades.py those that an answer cannot do without
answer.py       what comes out
fragment.py     lines for sdkconfig.defaults, each with its reason
"""
