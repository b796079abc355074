"""Where blocks should lie: the best rules for `--place`, with a bound that no rules go beyond."""
