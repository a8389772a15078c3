# machine: v100
# A program that catches the error of a mismatch goes on as if there were none: it is reported.
import torch

a, b = torch.ones(2, 2, device="cuda").half(), torch.ones(2, 2, device="cuda")
try:
    c = a @ b  # finding: operand-dtype-mismatch matmul other
except RuntimeError:
    c = a.float() @ b
print(c.dtype)
