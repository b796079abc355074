"""A whole firmware on emulated boards: built, run, and its recording replayed."""
