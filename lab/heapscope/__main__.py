"""`python -m heapscope`."""

from heapscope.cli.entry import main

if __name__ == "__main__":
    main()
