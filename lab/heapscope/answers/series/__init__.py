"""The course of heap figures over hours and weeks, and when a request stops fitting
(docs/design/series.md)."""
