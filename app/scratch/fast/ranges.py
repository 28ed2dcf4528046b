"""The numbers of many ranges as one array."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer]


def ranges(firsts: Ints, sizes: Ints) -> Ints:
    """Return the numbers of several ranges, one after the other.

    >>> ranges(np.array([5, 9]), np.array([3, 2])).tolist()
    [5, 6, 7, 9, 10]
    """
    before = np.cumsum(sizes) - sizes
    return np.repeat(firsts - before, sizes) + np.arange(int(sizes.sum()))
