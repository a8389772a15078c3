"""Small programs around autocast. Each returns tensors and answers; on cpu torch itself says what is right.

What they use has the same policy on cpu and on cuda, so that the answers hold for both.
"""

from __future__ import annotations

import threading

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, linear, mse_loss
from torch.utils.checkpoint import checkpoint

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


def _x(device, dtype=F32):
    return torch.ones(4, 4, dtype=dtype, device=device)


def _weight(device, dtype=F32):
    return nn.Parameter(torch.ones(4, 4, dtype=dtype, device=device))


def _cast_of(result):
    """The node of the graph that made the second operand: one and the same if the cast was."""
    return result.grad_fn.next_functions[1][0]


def cached_weight(device):
    w = _weight(device)
    with torch.autocast(device, BF16):
        a, b = _x(device) @ w, _x(device) @ w
        with torch.autocast(device, BF16):
            c = _x(device) @ w
    with torch.autocast(device, BF16):
        d = _x(device) @ w
    (a + b + c + d).sum().backward()
    return a, [_cast_of(a) is _cast_of(other) for other in (b, c, d)], w.grad


def cache_disabled(device):
    w = _weight(device)
    with torch.autocast(device, BF16, cache_enabled=False):
        a, b = _x(device) @ w, _x(device) @ w
        answers = [torch.is_autocast_cache_enabled(), _cast_of(a) is _cast_of(b)]
    return answers, torch.is_autocast_cache_enabled()


def cache_cleared(device):
    w = _weight(device)
    with torch.autocast(device, BF16):
        a = _x(device) @ w
        torch.clear_autocast_cache()
        return _cast_of(a) is _cast_of(_x(device) @ w)


def what_is_cached(device):
    w = _weight(device)
    leaf, view, half = w.detach().requires_grad_(), w.view(4, 4), _weight(device, F16)
    with torch.autocast(device, BF16):
        pairs = [(_x(device) @ v, _x(device) @ v) for v in (leaf, view, half)]
    return [_cast_of(a) is _cast_of(b) for a, b in pairs]


def cached_without_grad(device):
    w = _weight(device)
    with torch.autocast(device, BF16):
        with torch.no_grad():
            _x(device) @ w
        return (_x(device) @ w).requires_grad


def cache_knows_no_other_dtype(device):
    w = _weight(device)
    with torch.autocast(device, BF16):
        _x(device) @ w
        with torch.autocast(device, F16):
            return _x(device) @ w  # raises: the weight is still bfloat16


def nested_with_other_dtype(device):
    with torch.autocast(device, BF16):
        a = _x(device) @ _x(device)
        with torch.autocast(device, F16):
            b, inside = _x(device) @ _x(device), str(torch.get_autocast_dtype(device))
        return a, b, inside, _x(device) @ _x(device), str(torch.get_autocast_dtype(device))


def disabled_inside(device):
    with torch.autocast(device, BF16):
        half = _x(device) @ _x(device)
        with torch.autocast(device, enabled=False):
            plain, on = _x(device) @ _x(device), torch.is_autocast_enabled(device)
        return half, plain, on, torch.is_autocast_enabled(device)


def disabled_inside_mixes(device):
    with torch.autocast(device, BF16):
        half = _x(device) @ _x(device)
        with torch.autocast(device, enabled=False):
            return half @ _x(device)  # raises


def on_a_function(device):
    @torch.autocast(device, BF16)
    def product(a):
        return a @ a, torch.is_autocast_enabled(device)

    return product(_x(device)), _x(device) @ _x(device)


def on_a_method(device):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4, device=device)

        @torch.autocast(device, BF16)
        def forward(self, x):
            return self.layer(x)

    model = Model()
    out = model(_x(device))
    out.float().sum().backward()
    return out, model.layer.weight.grad, model.layer.bias.grad


def on_a_generator(device):
    @torch.autocast(device, BF16)
    def products():
        yield _x(device) @ _x(device), torch.is_autocast_enabled(device)

    return list(products())


class _Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        ctx.seen = [str(x.dtype), str((x @ w).dtype)]
        return x @ w

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        return (grad @ w).to(x.dtype), (x @ grad.to(x.dtype)).to(w.dtype)


def _function(device, **options):
    forward = torch.amp.custom_fwd(_Scaled.forward, device_type=device, **options)
    backward = torch.amp.custom_bwd(_Scaled.backward, device_type=device)
    halves = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Custom", (torch.autograd.Function,), halves)


def custom_function(device):
    x, w = _x(device).requires_grad_(), _weight(device)
    with torch.autocast(device, BF16):
        out = _function(device).apply(x, w)
    out.sum().backward()
    return out, out.grad_fn.seen, x.grad, w.grad


def custom_function_that_casts(device):
    x, w = _x(device, BF16).requires_grad_(), _weight(device)
    with torch.autocast(device, BF16):
        out = _function(device, cast_inputs=F32).apply(x, w)
    out.sum().backward()
    without = _function(device, cast_inputs=F32).apply(_x(device, BF16), _x(device, BF16))
    return out, out.grad_fn.seen, x.grad, w.grad, without


def _checkpointed(device, *, reentrant):
    x, w = _x(device).requires_grad_(), _weight(device)
    seen = []

    def block(a):
        out = a @ w
        seen.append((str(out.dtype), torch.is_autocast_enabled(device), str(torch.get_autocast_dtype(device))))
        return out

    with torch.autocast(device, BF16):
        out = checkpoint(block, x, use_reentrant=reentrant)
    out.sum().backward()
    return out, seen, x.grad, w.grad


def checkpoint_reentrant(device):
    return _checkpointed(device, reentrant=True)


def checkpoint_again(device):
    return _checkpointed(device, reentrant=False)


def backward_outside_and_inside(device):
    grads = []
    for inside in (False, True):
        w = _weight(device)
        with torch.autocast(device, BF16):
            loss = mse_loss(linear(_x(device), w), _x(device))
        with torch.autocast(device, BF16, enabled=inside):
            loss.backward()
        grads.append(w.grad)
    return loss, grads


def in_a_thread(device):
    found = []

    def work():
        found.append((torch.is_autocast_enabled(device), _x(device) @ _x(device)))
        with torch.autocast(device, BF16):
            found.append((torch.is_autocast_enabled(device), _x(device) @ _x(device)))

    with torch.autocast(device, BF16):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return found


def double_and_integer(device):
    double, integer = _x(device, torch.float64), _x(device, torch.int64)
    with torch.autocast(device, BF16):
        return double @ double, integer + integer, mse_loss(double, double)


def double_meets_half(device):
    with torch.autocast(device, BF16):
        return _x(device, torch.float64) @ _x(device)  # raises


def out_and_in_place(device):
    with torch.autocast(device, BF16):
        out = torch.mm(_x(device), _x(device), out=torch.empty(4, 4, device=device))
        return out, _x(device).addmm_(_x(device), _x(device))


def in_place_mixes(device):
    with torch.autocast(device, BF16):
        half = _x(device) @ _x(device)
        return _x(device).addmm_(half, half)  # raises: in-place ops are left alone


def loss_with_logits(device):
    with torch.autocast(device, BF16):
        logits = _x(device) @ _x(device)
        return binary_cross_entropy_with_logits(logits, _x(device))


def queries(device):
    default = str(torch.get_autocast_dtype("cpu")), torch.is_autocast_enabled(device)
    region = torch.autocast(device, BF16)
    with region:
        inside = torch.is_autocast_enabled(device), str(torch.get_autocast_dtype(device)), str(region.fast_dtype)
        torch.set_autocast_dtype(device, F16)
        half = _x(device) @ _x(device)
    return default, inside, half, torch.is_autocast_enabled(device), torch.is_autocast_enabled()


def half_on_cpu(device):
    with torch.autocast(device, F16):
        return _x(device) @ _x(device), mse_loss(_x(device, F16), _x(device, F16))


def promotion_of_the_widest(device):
    with torch.autocast(device, BF16):
        half = _x(device) @ _x(device)
        return half + _x(device), half * 2, half + half.double()


def after_an_error(device):
    try:
        with torch.autocast(device, BF16):
            int("no number")
    except ValueError:
        return torch.is_autocast_enabled(device), _x(device) @ _x(device)


PROGRAMS = tuple(
    found
    for name, found in sorted(globals().items())
    if callable(found) and getattr(found, "__module__", "") == __name__ and not name.startswith("_")
)
