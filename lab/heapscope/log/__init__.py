"""The log of a device: what its lines add up to, and what they answer."""
