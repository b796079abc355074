"""Static RAM: what a firmware's code and data take before there is a heap."""
