"""The effective precision of a run: what its modules, gradients, optimizers and regions were seen to compute in."""
