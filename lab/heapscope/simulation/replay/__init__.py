"""A trace on a layout: sets up the native replay and shapes what it measured."""
