"""One question at a time: a thread that computes, and a queue with an end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cane_gane.web.refusals import RequestError

MOST_WAITING = 128
Result = TypeVar("Result")


class Worker:
    """Runs jobs in the order of their arrival, in a thread of its own.

    TensorFlow spreads one job over all cores, so that a second thread would only take
    them from the first; the event loop stays free for `/health` and for new requests.

    Attributes:
        waiting: How many jobs wait or are under way.
    """

    def __init__(self) -> None:
        """Starts with no job."""
        self._thread = ThreadPoolExecutor(1, "answers")
        self.waiting = 0

    async def run(self, job: Callable[[], Result]) -> Result:
        """Runs a job when its turn comes.

        Raises:
            RequestError: Too many jobs wait already.
        """
        if self.waiting >= MOST_WAITING:
            raise RequestError(
                503,
                f"found {self.waiting} waiting requests; expected fewer than "
                f"{MOST_WAITING}: try again in a second",
            )
        self.waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, job)
        finally:
            self.waiting -= 1

    def close(self) -> None:
        """Ends the thread; jobs that have not begun are dropped."""
        self._thread.shutdown(cancel_futures=True)
