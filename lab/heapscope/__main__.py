"""`python -m heapscope`."""

import os
import sys

if __name__ == "__main__" and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109
    # Python puts the current folder there, and a stranger's project may have modules of its own.
    del sys.path[0]

from heapscope.entry import main

if __name__ == "__main__":
    main()
