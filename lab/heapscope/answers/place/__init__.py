"""Where blocks should be placed: the best rules for `--place`, and a bound that no rules go
beyond."""
