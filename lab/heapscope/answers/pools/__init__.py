"""Named pools that grow by blocks: what they hold, and what they would hold with other sizes."""
