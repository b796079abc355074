"""Many devices, by build and chip: from their logs, or from a table (docs/design/fleet.md)."""
