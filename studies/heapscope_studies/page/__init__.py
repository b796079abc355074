"""Experiments as one HTML page, in the frame of the product's pages."""
