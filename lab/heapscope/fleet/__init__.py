"""Many traces on many memories, and results held against budgets."""
