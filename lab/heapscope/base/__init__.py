"""Errors, text, sizes, outputs, and the description of every figure: every house may use them."""
