"""What torch's autocast does around its op lists, as the virtual machine mimics it: cache, nesting, backward.

Each fact is measured on CPU autocast; the code is the same for every device (ATen/autocast_mode.cpp).
"""

import threading

import pytest
import torch
from torch.nn.functional import mse_loss
from torch.utils._python_dispatch import TorchDispatchMode

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32
X = torch.ones(4, 4, dtype=BF16)


class Casts(TorchDispatchMode):
    """Counts casts, and keeps the operand dtypes of `mm`."""

    def __init__(self):
        super().__init__()
        self.count = 0
        self.products = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func in (torch.ops.aten._to_copy.default, torch.ops.aten.to.dtype)
        if func is torch.ops.aten.mm.default:
            self.products.append(tuple(a.dtype for a in args))
        return func(*args, **(kwargs or {}))


def region(dtype=BF16, **options):
    return torch.autocast("cpu", dtype, **options)


def buffer():
    return torch.ones(4, 4)


def weight(dtype=F32):
    return torch.nn.Parameter(torch.ones(4, 4, dtype=dtype))


@pytest.mark.parametrize(
    ("make", "casts"),
    [
        pytest.param(weight, 1, id="parameter"),
        pytest.param(lambda: torch.ones(4, 4, requires_grad=True), 1, id="leaf"),
        pytest.param(lambda: weight().detach().requires_grad_(), 1, id="detached leaf"),
        pytest.param(buffer, 2, id="buffer"),
        pytest.param(lambda: weight().requires_grad_(False), 2, id="frozen parameter"),
        pytest.param(lambda: weight() * 1, 2, id="not a leaf"),
        pytest.param(lambda: weight().view(4, 4), 2, id="view"),
        pytest.param(lambda: weight().detach()[:].requires_grad_(True), 2, id="leaf that is a view"),
        pytest.param(lambda: weight(F16), 2, id="not float32"),
    ],
)
def test_what_is_cached(make, casts):
    w = make()
    with Casts() as seen, region():
        torch.mm(X, w)
        torch.mm(X, w)
    assert seen.count == casts


def test_casts_to_float32_are_not_cached():
    w = weight(BF16)
    with Casts() as seen, region():
        mse_loss(w, torch.ones(4, 4))
        mse_loss(w, torch.ones(4, 4))
    assert seen.count == 2


def test_cache_lives_until_the_outermost_region_ends():
    w = weight()
    with Casts() as seen, region():
        with region():
            torch.mm(X, w)
        with torch.autocast("cpu", enabled=False):
            pass
        torch.mm(X, w)
        assert seen.count == 1
        with region(cache_enabled=False):
            torch.mm(X, w)
        assert seen.count == 2
        torch.clear_autocast_cache()
        torch.mm(X, w)
        assert seen.count == 3
    with Casts() as seen, region():
        torch.mm(X, w)
    assert seen.count == 1


def test_cached_cast_has_a_gradient_also_if_made_under_no_grad():
    w = weight()
    with Casts() as seen, region():
        with torch.no_grad():
            torch.mm(X, w)
        assert torch.mm(X, w).requires_grad
    assert seen.count == 1


def test_cache_is_stale_after_an_update_inside_the_region():
    w = weight()
    with region():
        torch.mm(X, w)
        w.data = torch.zeros(4, 4)
        assert torch.mm(X, w).sum() == 64
    with region():
        assert torch.mm(X, w).sum() == 0


def test_cache_does_not_know_the_dtype_of_an_inner_region():
    w = weight()
    with region():
        torch.mm(X, w)
        with region(F16), pytest.raises(RuntimeError, match=r"c10::Half != c10::BFloat16"):
            torch.mm(torch.ones(4, 4), w)


def test_disabled_region_inside():
    with region():
        half = torch.mm(torch.ones(4, 4), torch.ones(4, 4))
        with torch.autocast("cpu", enabled=False):
            assert torch.mm(torch.ones(4, 4), torch.ones(4, 4)).dtype == F32
            with pytest.raises(RuntimeError, match="same dtype"):
                torch.mm(half, torch.ones(4, 4))
        assert torch.mm(half, torch.ones(4, 4)).dtype == BF16


@pytest.mark.parametrize("inside", [False, True])
def test_backward_runs_under_the_state_of_its_caller(inside):
    x, w = torch.rand(4, 4, requires_grad=True), torch.rand(4, 4, requires_grad=True)
    loss = torch.mm(x, w).sum()
    with Casts() as seen, torch.autocast("cpu", BF16, enabled=inside):
        loss.backward()
    dtype = BF16 if inside else F32
    assert seen.products == [(dtype, dtype)] * 2
    assert w.grad.dtype == F32


def test_autocast_is_of_one_thread():
    states = []
    with region():
        thread = threading.Thread(target=lambda: states.append(torch.is_autocast_enabled("cpu")))
        thread.start()
        thread.join()
    assert states == [False]


def test_inplace_and_out_forms_fall_through():
    with region():
        assert torch.mm(torch.ones(4, 4), torch.ones(4, 4), out=torch.empty(4, 4)).dtype == F32
        assert torch.ones(4, 4).addmm_(torch.ones(4, 4), torch.ones(4, 4)).dtype == F32


def test_unsupported_dtype_disables_the_region():
    with pytest.warns(UserWarning, match="Disabling autocast"):
        silent = torch.autocast("cpu", F32)
    with silent:
        assert not torch.is_autocast_enabled("cpu")


class Doubling(torch.autograd.Function):
    """Keeps what its two halves saw."""

    seen = ()

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=F32)
    def forward(_ctx, x):
        Doubling.seen = (x.dtype, torch.is_autocast_enabled("cpu"))
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(_ctx, grad):
        Doubling.seen += (grad.dtype, torch.is_autocast_enabled("cpu"))
        return grad * 2


def test_custom_fwd_casts_and_disables():
    x = torch.ones(2, dtype=BF16, requires_grad=True)
    with region():
        y = Doubling.apply(x)
    with region():
        y.sum().backward()
    assert Doubling.seen == (F32, False, F32, False)
    assert x.grad.dtype == BF16


def test_float8_operands_are_cast_and_float64_are_not():
    x = torch.ones(4, 4)
    with region():
        assert torch.mm(x.to(torch.float8_e4m3fn), x).dtype == BF16
        assert torch.mm(x.double(), x.double()).dtype == torch.float64
        with pytest.raises(RuntimeError, match=r"double != c10::BFloat16"):
            torch.mm(x.double(), x)
        with pytest.raises(RuntimeError, match="Unexpected floating ScalarType"):
            torch.cat([x.half(), x])
