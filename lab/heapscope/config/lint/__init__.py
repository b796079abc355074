"""Checks of a firmware's configuration, and what to write instead."""
