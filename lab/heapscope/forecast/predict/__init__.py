"""The needs and gains of a configuration: RAM by component, available memory, Wi-Fi throughput."""
