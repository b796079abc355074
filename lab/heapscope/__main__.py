"""`python -m heapscope`."""

from heapscope.entry import main

if __name__ == "__main__":
    main()
