"""Traces: where their bytes come from, what they say of themselves, names made safe to show."""
