"""What kernels of a step take on a GPU, alone: `python benchmarks/gpu/kernels.py FILE`, a line of JSON for each.

A line has `kind` and `dtype` as the forecast has them, the operations and the bytes that the forecast would count, and
the seconds that it took, from back to back calls. Lines of kind `host` are small models in training, where nothing is
to compute: their seconds are what the host takes to call their kernels, `launches` in all, counted by torch's profiler.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - everybody calls it so

SPENT = 0.02
HALVES = (torch.float16, torch.bfloat16)
Point = dict[str, Any]


def seconds(call: Callable[[], Any]) -> float:
    """Of one call, of so many that they take a while; the fastest of three such rounds."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    times = max(3, min(1000, int(SPENT / (time.perf_counter() - begin))))
    best = float("inf")
    for _ in range(3):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(times):
            call()
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end) / 1e3 / times)
    return best


def point(kind: str, dtype: str, what: str, call: Callable[[], Any], counted: tuple[float, float]) -> Point:
    """`counted`: operations and bytes."""
    told = {"kind": kind, "dtype": dtype, "what": what, "operations": counted[0], "bytes": counted[1]}
    return {**told, "seconds": seconds(call)}


def drawn(*shape: int, dtype: torch.dtype = torch.float32, grad: bool = False) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=grad)


PRODUCTS = [
    (64, 64, 64), (256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096),
    (8192, 8192, 8192), (2048, 1280, 1280), (2048, 1280, 5120), (2048, 5120, 1280), (2048, 1280, 50257),
    (2048, 2048, 8192), (8, 2048, 8192), (1, 4096, 4096), (8192, 320, 320), (8192, 768, 3072), (1000, 1000, 1000),
    (2050, 1001, 3001),
]  # fmt: skip


def matmuls() -> Iterator[Point]:
    for dtype in (torch.float32, "tf32", *HALVES):
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        own = torch.float32 if dtype == "tf32" else dtype
        for m, k, n in PRODUCTS:
            a, b = drawn(m, k, dtype=own), drawn(k, n, dtype=own)
            size = (m * k + k * n + m * n) * own.itemsize
            name = str(dtype).removeprefix("torch.")
            yield point("matmul", name, f"{m}x{k}x{n}", partial(torch.matmul, a, b), (2.0 * m * k * n, size))
    torch.backends.cuda.matmul.allow_tf32 = False


CONVOLUTIONS = [
    # batch, channels in and out, side, kernel
    (4, 320, 320, 64, 3), (4, 640, 640, 32, 3), (4, 1280, 1280, 16, 3), (4, 320, 640, 32, 1), (128, 64, 64, 56, 3),
    (128, 256, 64, 56, 1), (128, 512, 512, 7, 3), (1, 512, 512, 128, 3), (1, 128, 128, 1024, 3), (1, 256, 256, 512, 3),
    (64, 3, 768, 224, 16), (1, 128, 3, 1024, 3),
]  # fmt: skip


def convolutions() -> Iterator[Point]:
    for last in (False, True):
        for dtype in (torch.float32, *HALVES):
            for batch, into, out, side, width in CONVOLUTIONS:
                form = torch.channels_last if last else torch.contiguous_format
                x = drawn(batch, into, side, side, dtype=dtype).to(memory_format=form).requires_grad_()
                w = drawn(out, into, width, width, dtype=dtype).to(memory_format=form).requires_grad_()
                step, pad = (width, 0) if width == 16 else (1, width // 2)

                def forward(x: Any = x, w: Any = w, step: int = step, pad: int = pad) -> torch.Tensor:
                    return F.conv2d(x, w, stride=step, padding=pad)

                with torch.no_grad():
                    y = forward()
                    operations = 2.0 * y.numel() * into * width * width
                    size = (x.nbytes + w.nbytes + y.nbytes) * 1.0
                    what = f"{batch}x{into}x{side}x{side} to {out}, {width}x{width}{', channels last' * last}"
                    name = str(dtype)[6:]
                    yield point("convolution", name, what, forward, (operations, size))
                out_ = forward()
                grad = torch.randn_like(out_)

                def backward(out_: Any = out_, x: Any = x, w: Any = w, grad: Any = grad) -> None:
                    torch.autograd.grad(out_, (x, w), grad, retain_graph=True)

                yield point("convolution", name, f"backward of {what}", backward, (2 * operations, 2 * size))


def attentions() -> Iterator[Point]:
    for dtype in (torch.float32, *HALVES):
        for batch, heads, length, width in [(4, 20, 512, 64), (2, 32, 1024, 64), (4, 32, 2048, 64), (4, 8, 4096, 40),
                                            (2, 10, 4096, 64), (2, 20, 1024, 64), (64, 12, 197, 64)]:  # fmt: skip
            for causal in (False, True):
                q, k, v = (drawn(batch, heads, length, width, dtype=dtype, grad=True) for _ in range(3))
                operations, size = 4.0 * batch * heads * length * length * width, 4.0 * q.nbytes
                what = f"{batch}x{heads}x{length}x{width}{', causal' * causal}"

                def forward(q: Any = q, k: Any = k, v: Any = v, causal: bool = causal) -> torch.Tensor:
                    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

                with torch.no_grad():
                    yield point("attention", str(dtype)[6:], what, forward, (operations, size))
                out = forward()
                grad = torch.randn_like(out)

                def backward(out: Any = out, q: Any = q, k: Any = k, v: Any = v, grad: Any = grad) -> None:
                    torch.autograd.grad(out, (q, k, v), grad, retain_graph=True)

                yield point("attention", str(dtype)[6:], f"backward of {what}", backward, (2.5 * operations, 2 * size))


def moves() -> Iterator[Point]:
    for dtype in (torch.float32, torch.bfloat16):
        for power in (10, 16, 20, 22, 24, 26, 28):
            x = drawn(1 << power, dtype=dtype)
            rows = x.view(-1, 1024)
            weight = torch.ones(1024, device="cuda", dtype=dtype)
            wide, other = rows.view(-1, 32, 32), torch.bfloat16 if dtype is torch.float32 else torch.float32
            kinds: list[tuple[str, str, Callable[[], Any], float]] = [
                ("elementwise and others", "add", lambda: x + x, 2),  # noqa: B023 - called in this turn
                ("elementwise and others", "gelu", lambda: F.gelu(x), 2),  # noqa: B023
                ("elementwise and others", "mul_", lambda: x.mul_(1.0), 2),  # noqa: B023
                ("elementwise and others", "zero_", x.zero_, 1),
                ("elementwise and others", "sum", x.sum, 1),
                ("elementwise and others", "softmax", lambda: torch.softmax(rows, -1), 2),  # noqa: B023
                ("normalization", "layer_norm", lambda: F.layer_norm(rows, (1024,), weight, weight), 2),  # noqa: B023
                ("copies and casts", "cast", lambda: x.to(other), 1 + other.itemsize / dtype.itemsize),  # noqa: B023
                ("copies and casts", "transposed", lambda: wide.transpose(1, 2).contiguous(), 2),  # noqa: B023
            ]
            for kind, what, call, times in kinds:
                with torch.no_grad():
                    counted = float(x.numel()), times * x.nbytes
                    yield point(kind, str(dtype)[6:], f"{what} of 2^{power}", call, counted)


class Block(nn.Module):
    """As transformers have them."""

    def __init__(self, width: int) -> None:
        """Of one head."""
        super().__init__()
        self.norm, self.into, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Attention, then two products."""
        q, k, v = self.into(self.norm(x)).unsqueeze(1).chunk(3, -1)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).squeeze(1))
        return x + self.down(F.gelu(self.up(x)))


def hosts() -> Iterator[Point]:
    model = nn.Sequential(*(Block(32) for _ in range(24))).cuda()
    x = drawn(2, 16, 32)
    kinds = {torch.optim.AdamW: {}, torch.optim.SGD: {"momentum": 0.9}}
    for mixed in (False, True):
        for kind, more in kinds.items():
            optimizer = kind(model.parameters(), lr=1e-4, **more)

            def forward(mixed: bool = mixed) -> torch.Tensor:
                with torch.autocast("cuda", torch.bfloat16, enabled=mixed):
                    return model(x)

            def whole(forward: Any = forward) -> None:
                forward().float().pow(2).mean().backward()

            def step(optimizer: Any = optimizer, whole: Any = whole) -> None:
                whole()
                optimizer.step()
                optimizer.zero_grad()

            for name, call in {"forward": forward, "forward and backward": whole, "step": step}.items():
                if name != "step" and kind is not torch.optim.AdamW:
                    continue
                told = f"{name}{f' of {kind.__name__}' if name == 'step' else ''}{', autocast' * mixed}"
                if name == "forward":
                    with torch.no_grad():
                        yield _called(told, call)
                else:
                    yield _called(told, call)
    tiny = drawn(8)
    with torch.no_grad():
        yield _called("add, without autograd", lambda: tiny + tiny)


def _called(what: str, call: Callable[[], Any]) -> Point:
    taken = seconds(call)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    kernels = [one for one in seen.events() if one.device_type == torch.autograd.DeviceType.CUDA]
    busy = sum(one.time_range.elapsed_us() for one in kernels) / 1e6
    return {"kind": "host", "what": what, "launches": len(kernels), "busy": busy, "seconds": taken}


def links() -> Iterator[Point]:
    for pinned in (False, True):
        x = torch.zeros(1 << 26, pin_memory=pinned)
        there = x.cuda()
        yield point("transfers with the host", "float32", f"to the device{', pinned' * pinned}",
                    partial(x.to, "cuda"), (0.0, x.nbytes))  # fmt: skip
        yield point("transfers with the host", "float32", f"from the device{', pinned' * pinned}",
                    partial(x.copy_, there), (0.0, x.nbytes))  # fmt: skip


def main(file: str) -> int:
    """Measure all; 2 without a GPU."""
    if not torch.cuda.is_available():
        print("no CUDA device here", file=sys.stderr)
        return 2
    head = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    with open(file, "w", encoding="utf-8") as out:
        print(json.dumps(head), file=out)
        for points in (hosts, moves, matmuls, attentions, convolutions, links):
            begin = time.perf_counter()
            for one in points():
                print(json.dumps(one), file=out, flush=True)
            print(f"{points.__name__}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
