# machine: a100
# Errors that the program catches to go another way are raised; what only reports them hides nothing.
import contextlib

import torch

a, half = torch.ones(2, 2, device="cuda"), torch.ones(2, 2, device="cuda", dtype=torch.float16)


def multiplied(a, b):
    try:
        return torch.mm(a, b)
    except RuntimeError:
        return torch.mm(a.float(), b.float())


class Inverse(torch.nn.Module):
    def forward(self, x):
        try:
            return torch.linalg.inv(x)
        except RuntimeError as error:
            if "Low precision" in str(error):
                return torch.linalg.inv(x.float()).to(x.dtype)
            raise


def chosen(layer, x):
    return layer(x)


assert multiplied(a, half).dtype is torch.float32
assert Inverse()(torch.eye(2, device="cuda").half()).dtype is torch.float16
with contextlib.suppress(RuntimeError):
    torch.mm(a, half)
    raise AssertionError("it was not raised")
try:
    out = chosen(torch.nn.Linear(2, 2).cuda(), half)
except RuntimeError:
    out = chosen(torch.nn.Linear(2, 2).cuda(), half.float())
assert out.dtype is torch.float32
try:
    torch.zeros(1, device="cuda:1")
    several = True
except Exception:
    several = False
assert not several


def trained(x):
    torch.nn.Linear(2, 2).cuda()(x)  # finding: operand-dtype-mismatch linear input


def whatever(batch):
    try:
        code = trained(batch)
    except Exception:
        code = 1
    return code


whatever(half)
for batch in (half, half):
    try:
        trained(batch)
    except RuntimeError as error:
        print("skipped:", error)
        continue
try:
    trained(half)
except RuntimeError as error:
    raise SystemExit("no training") from error
