"""What real CPU torch does with one operand of another dtype, op by op: run as a script, one JSON line per call.

    python real_torch.py PART PARTS
    {"calls": [[op, inputs, depth, composite], ...], "changed": "weight", "to": "float16", "error": ...}

Calls are taken where Miscast's virtual machine sees them, by a fallback on the dispatch key TESTING_ONLY_GenericMode,
from torch's own operator database, forward, in place and backward, and from a few programs of our own (recurrent
layers, optimizers, `out=`). Each is repeated with one operand cast. `calls` holds the op and, where it is composite,
all that it called until the error. A process of its own, because a fallback is registered for a whole process.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import warnings

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

KEY = torch._C._dispatch_key_parse("TESTING_ONLY_GenericMode")
KEYS = torch._C.DispatchKeySet(KEY)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
CAST_TO = {
    torch.float16: (torch.bfloat16, torch.float32),
    torch.bfloat16: (torch.float16, torch.float32),
    torch.float32: (torch.float16, torch.bfloat16, torch.float64, torch.int64),
    torch.float64: (torch.float32,),
    torch.int64: (torch.int32, torch.float32),
    torch.int32: (torch.int64,),
    torch.bool: (torch.float32,),
}
NUMBERS = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}
SAMPLES = {"float32": 2, "bfloat16": 1, "int64": 1}
CALLS_PER_OP_AND_DTYPES = 2


class Sweep:
    """Watches programs; of each call of a new kind, tries what torch says to its operands in other dtypes."""

    def __init__(self, out) -> None:
        self.out, self.seen, self.counts = out, set(), {}
        self.watch, self.depth = None, 0
        self.library = torch.library.Library("_", "IMPL")
        self.library.fallback(self.handle, "TESTING_ONLY_GenericMode")

    def handle(self, op, *args, **kwargs):
        if self.watch:
            self.watch(op, args, kwargs)
        if not is_composite(op):
            with torch._C._ExcludeDispatchKeyGuard(KEYS):
                return op(*args, **kwargs)
        self.depth += 1
        try:
            return op.decompose(*args, **kwargs)
        finally:
            self.depth -= 1

    def program(self, run, leaves=()) -> None:
        """Run a program and its backward pass under watch; what it raises is its own affair."""
        self.watch = self.collect
        with contextlib.suppress(Exception), torch._C._IncludeDispatchKeyGuard(KEY):
            results = tree_flatten(run())[0]
            results = [t for t in results if isinstance(t, torch.Tensor) and t.requires_grad]
            losses = [t.sum() for t in results if t.is_floating_point()]
            if losses and leaves:
                torch.autograd.grad(losses, leaves, allow_unused=True)
        self.watch = None

    def collect(self, op, args, kwargs) -> None:
        named = operands(op, args, kwargs)
        tensors = [value for _, value in named if isinstance(value, torch.Tensor)]
        kind = (op.name(), tuple(t.dtype for t in tensors))
        call = (op.name(), tuple(described(*pair) for pair in named))
        flat, spec = tree_flatten((args, kwargs))
        few = len(tensors) < 2 and not op._schema.is_mutable
        if few or call in self.seen or self.counts.get(kind, 0) >= CALLS_PER_OP_AND_DTYPES or not all(map(plain, flat)):
            return
        self.seen.add(call)
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.watch = None
        with torch.no_grad():
            self.repeat(op, flat, spec, dict(zip(map(id, (v for _, v in named)), (n for n, _ in named), strict=True)))
        self.watch = self.collect

    def repeat(self, op, flat, spec, names) -> None:
        if op.name().startswith(("aten::set_", "aten::resize", "aten::_resize")):
            return
        if self.attempt(op, flat, spec, None, None):
            return
        for i, tensor in enumerate(flat):
            name = names.get(id(tensor), "[2]")
            # What a backward formula gets beside the gradient, the forward pass took or made.
            given = name.startswith("grad") or "backward" not in op.name()
            if isinstance(tensor, torch.Tensor) and given and name.partition("[")[2] in ("", "0]", "1]"):
                for dtype in CAST_TO.get(tensor.dtype, ()):
                    changed = [*flat[:i], tensor.detach().to(dtype), *flat[i + 1 :]]
                    self.attempt(op, changed, spec, name, str(dtype)[6:])

    def attempt(self, op, flat, spec, changed, to) -> bool:
        """Call the op once on copies and write down how it went. Whether it failed."""
        inner, top, error = [], self.depth, None

        def note(op, args, kwargs):
            inputs = [described(*pair) for pair in operands(op, args, kwargs)]
            inner.append((called(op), inputs, self.depth - top, is_composite(op)))

        args, kwargs = tree_unflatten([t.detach().clone() if isinstance(t, torch.Tensor) else t for t in flat], spec)
        self.watch = note
        try:
            with torch._C._IncludeDispatchKeyGuard(KEY):
                op(*args, **kwargs)
        except Exception as raised:  # noqa: BLE001 - the error is the result
            error = str(raised)[:300]
        self.watch, self.depth = None, top
        if inner and (changed or error is None):
            print(json.dumps({"calls": inner, "changed": changed, "to": to, "error": error}), file=self.out)
        return error is not None


def is_composite(op) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), "CompositeImplicitAutograd")


def called(op) -> str:
    return op.name().replace("::", ".")


def operands(op, args, kwargs):
    """Names and values of a call's tensors and Python numbers, lists item by item."""
    schema = {a.name: a for a in op._schema.arguments}
    found = []
    for name, value in [*zip(schema, args, strict=False), *kwargs.items()]:
        if isinstance(value, (list, tuple)):
            found += [(f"{name}[{i}]", t) for i, t in enumerate(value) if isinstance(t, torch.Tensor)]
        elif isinstance(value, torch.Tensor) or (type(value) in NUMBERS and "number" in str(schema[name].type)):
            found.append((name, value))
    return found


def described(name, value):
    if isinstance(value, torch.Tensor):
        return (name, str(value.dtype)[6:], value.device.type, value.dim())
    return (name, NUMBERS[type(value)], "meta", -1)


def plain(value) -> bool:
    """Whether it is no tensor, or a dense one with elements: torch looks at no dtype of an empty one."""
    if not isinstance(value, torch.Tensor):
        return True
    odd = value.layout != torch.strided or value.is_quantized or value.is_conj() or value.is_neg()
    return not odd and value.numel() > 0


def database(sweep: Sweep, part: int, parts: int) -> None:
    """Every `parts`-th op of torch's database."""
    from torch.testing._internal import common_methods_invocations as database

    foreach = [*database.foreach_binary_op_db, *database.foreach_pointwise_op_db, *database.foreach_other_op_db]
    for info in [*database.op_db, *foreach][part::parts]:
        for base, count in SAMPLES.items():
            dtype = getattr(torch, base)
            if dtype not in info.supported_dtypes("cpu") or (info in foreach and base != "float32"):
                continue
            needs_grad = info.supports_autograd and dtype.is_floating_point and info not in foreach
            with contextlib.suppress(Exception):
                samples = list(info.sample_inputs("cpu", dtype, requires_grad=needs_grad))
                out_of_place = info.method_variant if info in foreach else info.op
                for sample in samples[:: max(1, len(samples) // count)]:
                    for function in filter(None, (out_of_place, info.inplace_variant)):
                        run_sample(sweep, function, sample, function is info.inplace_variant)


def run_sample(sweep: Sweep, function, sample, in_place: bool) -> None:
    flat, spec = tree_flatten(((sample.input, *sample.args), sample.kwargs))
    flat = [t.detach().clone().requires_grad_(t.requires_grad) if isinstance(t, torch.Tensor) else t for t in flat]
    leaves = [t for t in flat if isinstance(t, torch.Tensor) and t.requires_grad]
    if in_place:
        flat = [t.clone() if isinstance(t, torch.Tensor) else t for t in flat]
    args, kwargs = tree_unflatten(flat, spec)
    sweep.program(lambda: function(*args, **kwargs), leaves)


def modules(sweep: Sweep, dtype: torch.dtype) -> None:
    """Recurrent layers and cells, and attention as modules call it."""
    nn = torch.nn
    for layer in (nn.LSTM, nn.GRU, nn.RNN):
        module, x = layer(4, 5).to(dtype), torch.randn(3, 2, 4, dtype=dtype)
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2]))
        sweep.program(lambda m=module, x=x: m(x)[0], list(module.parameters()))
        sweep.program(lambda m=module, p=packed: m(p)[0].data)
        sweep.program(lambda x=x: nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2])))
    for cell in (nn.LSTMCell, nn.GRUCell, nn.RNNCell):
        module, x = cell(4, 5).to(dtype), torch.randn(2, 4, dtype=dtype)
        sweep.program(lambda m=module, x=x: m(x), list(module.parameters()))
    module, x = nn.MultiheadAttention(8, 2).to(dtype), torch.randn(3, 2, 8, dtype=dtype)
    sweep.program(lambda: module(x, x, x)[0], list(module.parameters()))


def optimizers(sweep: Sweep, dtype: torch.dtype) -> None:
    """Two steps of each, for-loop, foreach and fused."""
    for name in ("SGD", "AdamW", "Adagrad", "RMSprop", "Adadelta", "NAdam", "RAdam", "Adafactor"):
        for how in ({}, {"foreach": True}, {"fused": True}):
            parameters = [torch.randn(4, 4, dtype=dtype).requires_grad_(), torch.randn(4, dtype=dtype).requires_grad_()]
            with contextlib.suppress(TypeError, RuntimeError):
                optimizer = getattr(torch.optim, name)(parameters, lr=0.1, **how)
                for parameter in parameters * 2:
                    parameter.grad = torch.randn_like(parameter)
                optimizer.step()
                sweep.program(optimizer.step)
    gradients, scale, steps = [torch.ones(3, dtype=dtype)], torch.ones(()), torch.zeros((), dtype=torch.int32)
    sweep.program(lambda: torch._amp_foreach_non_finite_check_and_unscale_(gradients, torch.zeros(()), torch.ones(())))
    sweep.program(lambda: torch._amp_update_scale_(scale, steps, torch.zeros(()), 2.0, 0.5, 10))


def writes(sweep: Sweep, dtype: torch.dtype) -> None:
    """Item assignment, copies and `out=`."""
    x, i = torch.randn(4, 4, dtype=dtype), torch.arange(2)
    row, new = torch.ones(4, dtype=dtype), lambda *shape: torch.empty(*shape, dtype=dtype)
    for statement in (
        lambda: x.__setitem__(0, row), lambda: x.__setitem__(i, row), lambda: x.__setitem__(x > 0, row[0]),
        lambda: x[i, i], lambda: x.copy_(row), lambda: x.__iadd__(row),
        lambda: torch.add(x, x, out=new(4, 4)), lambda: torch.mm(x, x, out=new(4, 4)),
        lambda: torch.cat([x, x], out=new(8, 4)), lambda: torch.bmm(x[None], x[None], out=new(1, 4, 4)),
        lambda: torch.index_select(x, 0, i, out=new(2, 4)), lambda: torch.clamp(x, 0, 1, out=new(4, 4)),
        lambda: torch.gather(x, 0, torch.zeros(4, 4, dtype=torch.long), out=new(4, 4)),
    ):  # fmt: skip
        sweep.program(statement)


def main() -> None:
    part, parts = int(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    sweep = Sweep(sys.stdout)
    if part == 0:
        for dtype in FLOATS[:3]:
            modules(sweep, dtype)
            optimizers(sweep, dtype)
            writes(sweep, dtype)
    database(sweep, part, parts)


if __name__ == "__main__":
    main()
