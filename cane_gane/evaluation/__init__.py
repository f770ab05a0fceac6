"""How good are the vectors: link prediction, node classification, baselines."""
