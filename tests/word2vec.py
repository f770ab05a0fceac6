"""Reads the word2vec text format back: a header `count size`, then name and values."""

import numpy as np


def read_word2vec(path):
    """Returns the names, and the vectors, `[count, size]`."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    names, *columns = zip(*map(str.split, lines), strict=True)
    vectors = np.array(columns, np.float64).T
    assert header.split() == [str(size) for size in vectors.shape]
    return names, vectors
