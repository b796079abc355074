"""Programs that are recorded, and what tests look for in their traces."""
