"""What a page needs to replay by itself: the engine, the trace and memories, as data."""
