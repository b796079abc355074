"""The memory of systems beside ESP-IDF: what `--system` names."""
