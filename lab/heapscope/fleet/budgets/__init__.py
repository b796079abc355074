"""Budgets: what they are, and whether the results of other verbs keep them."""
