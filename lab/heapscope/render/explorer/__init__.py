"""The engine, a trace and memories as data of a page that replays by itself."""
