"""Stands in for a worker: does what `FAKE_WORKER` says for its number and start.

Such as `{"1": ["die", "work"]}`: worker 1 dies in its first start. Its starts are
counted in the file `FAKE_STARTS`.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from cane_gane.beside import LOST, end_with
from cane_gane.runs.worker import Order


def main():
    order = Order(**json.loads(sys.stdin.readline()))
    end_with(order.parent)
    log = Path(os.environ["FAKE_STARTS"])
    starts = log.read_text().split() if log.exists() else []
    with open(log, "a") as file:
        print(f"{order.index}:{os.getpid()}", file=file)
    number = sum(one.startswith(f"{order.index}:") for one in starts)
    plans = json.loads(os.environ["FAKE_WORKER"]).get(str(order.index), ["work"])
    plan = plans[min(number, len(plans) - 1)]
    if plan == "absent":
        time.sleep(600)
    print("joined", flush=True)
    if plan == "lose":
        print("cane_gane: lost another worker (x)", file=sys.stderr, flush=True)
        return LOST
    if plan == "refuse":
        print("cane_gane: found no such thing", file=sys.stderr, flush=True)
        return 2
    if plan == "diverge":
        print("cane_gane: found loss nan", file=sys.stderr, flush=True)
        return 3
    if plan == "die at once":
        os.kill(os.getpid(), signal.SIGKILL)
    print("epoch 1", flush=True)
    print("epoch   1/1", file=sys.stderr, flush=True)
    if plan == "die":
        while len({one.split(":")[0] for one in log.read_text().split()}) < 2:
            time.sleep(0.01)  # the other counts its start first
        os.kill(os.getpid(), signal.SIGKILL)
    if plan == "wait":
        time.sleep(600)
    return 0


if __name__ == "__main__":
    sys.exit(main())
