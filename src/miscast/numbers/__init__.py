"""Precision loss: value ranges on the virtual machine, and float64 values beside a real run."""
