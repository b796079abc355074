"""The memory model against whole programs and changes of options that were published."""
