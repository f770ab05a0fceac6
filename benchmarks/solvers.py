"""Other solvers for the plan of Algorithm 1, to time `ipot` against."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import ot.batch
import tensorflow as tf

BETA, STEPS = 0.5, 50

C_SOURCE = r"""
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <xmmintrin.h>
/* Algorithm 1 with one pass over the plan for each step, a pair at a time. */
void solve(const float *cost, float *plan, int batch, int n, int m, int steps,
           float beta) {
#pragma omp parallel num_threads(2)
  {
    _mm_setcsr(_mm_getcsr() | 0x8040); /* denormals to zero */
    float *kernel = malloc(sizeof(float) * n * m), *delta = malloc(sizeof(float) * n);
    float *sigma = malloc(sizeof(float) * m), *scale = malloc(sizeof(float) * m);
    float *column = malloc(sizeof(float) * m);
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < batch; b++) {
      float *q = plan + (long)b * n * m;
      for (int k = 0; k < n * m; k++) {
        kernel[k] = expf(-cost[(long)b * n * m + k] / beta);
        q[k] = 1;
      }
      for (int j = 0; j < m; j++) { sigma[j] = 1.f / m; scale[j] = 1; }
      for (int i = 0; i < n; i++) delta[i] = 1;
      for (int t = 0; t < steps; t++) {
        memset(column, 0, sizeof(float) * m);
        for (int i = 0; i < n; i++) {
          float *row = q + i * m, *a = kernel + i * m, d = delta[i], sum = 0;
          for (int j = 0; j < m; j++) {
            float x = row[j] * a[j] * (d * scale[j]);
            row[j] = x;
            sum += x * sigma[j];
          }
          delta[i] = d = 1.f / (n * sum);
          for (int j = 0; j < m; j++) column[j] += d * row[j];
        }
        for (int j = 0; j < m; j++) scale[j] = sigma[j] = 1.f / (m * column[j]);
      }
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) q[i * m + j] *= delta[i] * sigma[j];
    }
    free(kernel); free(delta); free(sigma); free(scale); free(column);
  }
}
"""


def c_solver(folder: str) -> Callable[[np.ndarray], np.ndarray]:
    source, library = Path(folder, "solve.c"), Path(folder, "solve.so")
    source.write_text(C_SOURCE)
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]
    command = ["gcc", *flags, str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    solve = ctypes.CDLL(str(library)).solve

    def run(cost: np.ndarray) -> np.ndarray:
        plan = np.empty_like(cost)
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (cost, plan)]
        solve(*pointers, *cost.shape, STEPS, ctypes.c_float(BETA))
        return plan

    return run


def literal(cost: tf.Tensor) -> tf.Tensor:
    """Algorithm 1 with its diagonal matrices as matrices."""
    _, n, m = cost.shape
    kernel = tf.exp(-cost / BETA)

    def step(plan: tf.Tensor, sigma: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        q = kernel * plan
        delta = 1 / (n * tf.linalg.matvec(q, sigma))
        sigma = 1 / (m * tf.linalg.matvec(q, delta, transpose_a=True))
        return tf.linalg.diag(delta) @ q @ tf.linalg.diag(sigma), sigma

    start = (tf.ones_like(cost), tf.fill(cost[:, 0].shape, 1 / m))
    return tf.while_loop(lambda *_: True, step, start, maximum_iterations=STEPS)[0]


def in_numpy(cost: np.ndarray) -> np.ndarray:
    _, n, m = cost.shape
    kernel, plan = np.exp(-cost / np.float32(BETA)), np.ones_like(cost)
    sigma = np.full((len(cost), m, 1), 1 / m, np.float32)
    for _ in range(STEPS):
        q = kernel * plan
        delta = 1 / (n * (q @ sigma))
        sigma = 1 / (m * (q.transpose(0, 2, 1) @ delta))
        plan = q * delta * sigma.transpose(0, 2, 1)
    return plan


def in_pot(cost: np.ndarray) -> np.ndarray:
    """POT's batched proximal point solver, with the same number of steps."""
    options = {"inner_reg": BETA, "max_iter": STEPS, "tol": 0.0, "grad": "detach"}
    return ot.batch.solve_batch(cost, method="proximal", **options).plan


def in_pot_by_projections(cost: np.ndarray) -> np.ndarray:
    """Algorithm 1 from POT's batched projection, one sweep for each step.

    Each projection starts from sigma = 1, whereas Algorithm 1 carries sigma over.
    """
    kernel, plan = np.exp(-cost / np.float32(BETA)), np.ones_like(cost)
    for _ in range(STEPS):
        projected = ot.batch.bregman_projection_batch(
            kernel * plan, max_iter=1, tol=0.0
        )
        plan = projected["T"]
    return plan
