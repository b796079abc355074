"""Where the RAM of a firmware goes: each memory of its chip from the first byte to the last."""
