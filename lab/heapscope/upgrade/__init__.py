"""What the step from one SDK version to another costs, part by part, and what buys it back."""
