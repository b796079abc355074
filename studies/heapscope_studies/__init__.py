"""Published experiments, and what Heapscope computes beside their figures."""
