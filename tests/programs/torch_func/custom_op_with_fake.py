# machine: a100
# A compiled kernel gets nothing to work on and says so; the op's fake tells what comes out.
import torch


def compiled(x):
    raise RuntimeError("Input tensor must be on CUDA device")


@torch.library.custom_op("miscast_tests::by_pointer", mutates_args=(), device_types="cuda")
def by_pointer(x: torch.Tensor) -> torch.Tensor:
    return compiled(x)


@by_pointer.register_fake
def _(x):
    return x.new_empty(x.shape, dtype=torch.float16)


y = by_pointer(torch.ones(2, 4, device="cuda"))  # origin
# fixed: y = by_pointer(torch.ones(2, 4, device="cuda")).float()
assert y.dtype in (torch.float16, torch.float32)
torch.nn.functional.linear(y, torch.ones(3, 4, device="cuda"))  # finding: operand-dtype-mismatch linear input
