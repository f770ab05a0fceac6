"""Sparse matrices that stay sparse: the largest of each row, and short walks."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from cane_gane.models.start.blocks import blocks, in_turn
from cane_gane.progress import Progress

ANYWHERE = 64  # neighbours of a node from which a walk may go anywhere
_ROWS = 2_000  # at once


def largest_of_rows(matrix: Any, count: int) -> Any:
    """Keeps the largest entries of each row, sparse; among ties, the first.

    Args:
        matrix: Any sparse matrix without negative entries.
        count: The largest number of entries in a row.
    """
    matrix = sparse.csr_array(matrix)
    matrix.sort_indices()
    lengths = np.diff(matrix.indptr)
    if not len(lengths) or lengths.max(initial=0) <= count:
        return matrix
    rows = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort([-matrix.data, rows])
    place = np.arange(len(rows)) - np.repeat(matrix.indptr[:-1], lengths)
    kept = np.sort(order[place < count])
    starts = np.concatenate([[0], np.cumsum(np.minimum(lengths, count))])
    parts = matrix.data[kept], matrix.indices[kept], starts
    return sparse.csr_array(parts, shape=matrix.shape)


def visits(step: Any, steps: int, kept: int, stage: str) -> Any:
    """Counts how often walks from each node visit others; only the likeliest are kept.

    After each step, a walk continues only from the `kept` nodes where it most likely
    is, and not from nodes with `ANYWHERE` or more neighbours. What is left out is
    small, and the counts never exceed the exact ones.

    Args:
        step: The probability of each step, `[nodes, nodes]`, times that of taking one.
        steps: How many steps are followed.
        kept: How many nodes of each walk are kept.
        stage: The title of the progress line.

    Returns:
        The expected numbers of visits after the start, `[nodes, nodes]`, sparse.
    """
    step = sparse.csr_array(step, dtype=np.float32)
    count = step.shape[0]
    onward = sparse.diags_array((np.diff(step.indptr) < ANYWHERE).astype(np.float32))
    later = sparse.csr_array(onward @ step)
    later.eliminate_zeros()

    def walked(rows: slice) -> Any:
        now = total = largest_of_rows(step[rows], kept)
        for _ in range(steps - 1):
            now = largest_of_rows(now @ later, kept)
            total = total + now
        return largest_of_rows(total, kept)

    parts = []
    with Progress(stage, count) as progress:
        for rows, part in in_turn(walked, blocks(count, _ROWS)):
            parts.append(part)
            progress.add(rows.stop - rows.start)
    return sparse.csr_array(sparse.vstack(parts)) if parts else step
