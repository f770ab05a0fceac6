"""One question at a time: a thread that computes, and a queue of limited length."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cane_gane.web.refusals import RequestError

MOST_WAITING = 128
Result = TypeVar("Result")


class Worker:
    """Runs jobs in order of arrival, in a separate thread.

    TensorFlow spreads one job over all cores, so a second thread would only take cores
    from the first. The event loop stays free for `/health` and new requests.

    Attributes:
        waiting: How many jobs wait or run.
    """

    def __init__(self) -> None:
        """Starts without jobs."""
        self._thread = ThreadPoolExecutor(1, "answers")
        self.waiting = 0

    async def run(self, job: Callable[[], Result]) -> Result:
        """Runs a job when its turn comes.

        Raises:
            RequestError: Too many jobs are already waiting.
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
