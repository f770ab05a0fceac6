"""Works on large matrices block by block in two threads, with the same result."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_THREADS = 2
Part = TypeVar("Part")
Found = TypeVar("Found")


def blocks(count: int, size: int) -> list[slice]:
    """Cuts `count` rows into blocks of at most `size`."""
    return [slice(at, min(at + size, count)) for at in range(0, count, size)]


def in_turn(
    function: Callable[[Part], Found], parts: Iterable[Part]
) -> Iterator[tuple[Part, Found]]:
    """Yields each part and the function's result for it, in the order of the parts.

    Two parts are processed while the caller uses a third; no more are held.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting = deque[tuple[Part, Future[Found]]]()
        for part in parts:
            waiting.append((part, pool.submit(function, part)))
            if len(waiting) > _THREADS:
                done, result = waiting.popleft()
                yield done, result.result()
        while waiting:
            done, result = waiting.popleft()
            yield done, result.result()
