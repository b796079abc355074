"""How long a program lives that goes on as it was recorded: `replay --repeat`."""
