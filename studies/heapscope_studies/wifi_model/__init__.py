"""The constants of `heapscope predict`: fits, and their errors on what was left out."""
