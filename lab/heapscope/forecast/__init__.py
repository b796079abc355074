"""The memory and the speed of a configuration, before it is built."""
