"""Ways into a trace: other forms and tools."""
