# machine: a100
# real: cpu
# Ops that Python code registers are code like any other: looked into, with a fake or without one.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"


@torch.library.custom_op("miscast_tests::scaled", mutates_args=())
def scaled(x: torch.Tensor, by: float) -> torch.Tensor:
    return x * by


@torch.library.custom_op("miscast_tests::product", mutates_args=())
def product(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x @ w  # finding: operand-dtype-mismatch matmul other


@product.register_fake
def _(x, w):
    return x.new_empty(x.shape[0], w.shape[1])


def keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward(ctx, gradient):
    x, w = ctx.saved_tensors
    return gradient @ w.t(), x.t() @ gradient


product.register_autograd(backward, setup_context=keep)


@torch.library.custom_op("miscast_tests::counted", mutates_args=("x",))
def counted(x: torch.Tensor) -> None:
    x.copy_(torch.arange(x.numel(), device=x.device))


@torch.library.custom_op("miscast_tests::by_numpy", mutates_args=())
def by_numpy(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.cpu().numpy() + 1).to(x.device)


library = torch.library.Library("miscast_tests_too", "FRAGMENT")
if not hasattr(torch.ops.miscast_tests_too, "shifted"):  # the process may have run this before
    library.define("shifted(Tensor x) -> Tensor")
    library.impl("shifted", lambda x: x + 1, "CompositeExplicitAutograd")

assert scaled(torch.ones(4, device=dev).half(), 2.0).dtype is torch.float16
x = torch.randn(2, 3, device=dev, requires_grad=True)
w = torch.randn(3, 4, device=dev, requires_grad=True)
y = product(x, w)
y.sum().backward()
assert x.grad.shape == (2, 3)
assert w.grad.dtype is torch.float32
numbers = torch.zeros(3, device=dev)
counted(numbers)
assert numbers.tolist() == [0.0, 1.0, 2.0]
assert by_numpy(numbers).tolist() == [1.0, 2.0, 3.0]
assert torch.ops.miscast_tests_too.shifted(numbers).tolist() == [1.0, 2.0, 3.0]
with torch.autocast(dev, dtype=torch.bfloat16):
    assert product(x, w).dtype is torch.bfloat16
half = torch.randn(2, 3, device=dev).half()
full = torch.randn(3, 4, device=dev)  # origin
# fixed: full = torch.randn(3, 4, device=dev).half()
product(half, full)
