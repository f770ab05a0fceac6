"""`python -m cane_gane.pydocs FOLDER`, the subprocess that `build` starts."""

import sys

from cane_gane.pydocs import main

sys.exit(main(sys.argv[1:]))
