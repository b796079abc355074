"""Where blocks should be placed: the best rules for `--place`, with a bound that no rules go beyond."""
