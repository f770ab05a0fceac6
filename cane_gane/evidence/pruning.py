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
    """Keeps the largest entries of each row, sparse; of equals the first.

    Args:
        matrix: Any sparse matrix without negative entries.
        count: How many entries a row has at the most.
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
    """Counts how often walks from each node come by others, the likeliest alone.

    After each step a walk goes on from the nodes where it most likely is, `kept` of
    them, and no further from a node that joins `ANYWHERE` others: what is left out is
    small, and the counts are at most the exact ones.

    Args:
        step: The chance of each step, that of going on included, `[nodes, nodes]`.
        steps: How many steps are followed.
        kept: How many nodes of each walk are kept.
        stage: What is said while it runs.

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
