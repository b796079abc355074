"""Traces and their replays in the formats of other programs."""
