"""The cost of the step from one SDK version to another, part by part, and the changes that buy it
back."""
