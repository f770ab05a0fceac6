"""Optimal transport between two texts: costs, the plan, and its gradient.

Pure TensorFlow; no layer, no model. Start with `solver`; `scalings` and `proximal` are
its steps, `adjoint` their derivative.
"""

from cane_gane.transport.solver import Gradient, cosine_cost, euclidean_cost, ipot

__all__ = ["Gradient", "cosine_cost", "euclidean_cost", "ipot"]
