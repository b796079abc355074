"""Traces: their bytes, facts and losses, and the names in them, made safe to show."""
