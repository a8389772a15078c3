# machine: v100
# note: catches_errors.py:8: raised as in torch, because the program catches it
# A program that catches the error of a mismatch and goes another way gets the error, and takes it.
import torch

a, b = torch.ones(2, 2, device="cuda").half(), torch.ones(2, 2, device="cuda")
try:
    c = a @ b
except RuntimeError:
    c = a.float() @ b
assert c.dtype is torch.float32
