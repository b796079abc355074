"""Why requests failed, and which changes would have let them succeed, each tried by a replay."""
