"""Groups of devices held against each other: how long they live, and what they have left
(docs/design/fleet.md)."""
