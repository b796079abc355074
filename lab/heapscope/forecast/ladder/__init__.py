"""Configurations side by side: what each differing option gives, and the steps of a staircase."""
