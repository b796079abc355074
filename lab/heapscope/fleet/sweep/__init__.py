"""Many replays at once: a plan, its cells, their results, and answers over them."""
