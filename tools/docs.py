"""`bash run.sh docs`: builds the site; with --regenerate, first what pages show."""

from __future__ import annotations

import argparse
import subprocess
import sys

from tools.site import ROOT, build


def main() -> None:
    """Parses the command line and does what it says."""
    parser = argparse.ArgumentParser(prog="bash run.sh docs", description=__doc__)
    parser.add_argument(
        "--regenerate",
        action="store_true",
        help="run the commands whose output pages show, and draw figures anew "
        "(trains on pydocs and HepTh: some minutes)",
    )
    if parser.parse_args().regenerate:
        from tools import figures, outputs

        figures.draw()
        outputs.rewrite()
    try:
        print(build().relative_to(ROOT))
    except subprocess.CalledProcessError as failure:
        sys.exit(failure.returncode)


if __name__ == "__main__":
    main()
