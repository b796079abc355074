"""Layouts: the regions and heaps of one firmware on one chip and SDK version."""
