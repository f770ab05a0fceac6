"""`python -m cane_gane.data.pydocs FOLDER`, the subprocess that `build` starts."""

import sys
from pathlib import Path

from cane_gane.data.pydocs import write
from cane_gane.errors import InputError

try:
    write(Path(sys.argv[1]))
except InputError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
