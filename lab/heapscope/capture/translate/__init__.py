"""A recording of 64-bit words as the sizes of a 32-bit chip, as far as debug information tells."""
