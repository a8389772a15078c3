"""What a program's own objects say of its precision in a real run on the CPU: the judge of the table that is observed.

Nothing of Miscast is used: dtypes are asked of parameters, gradients and states, hooks record inputs and outputs, and a
dispatch mode below autograd and autocast sees what matrix products really ran in.
"""

from __future__ import annotations

from collections import defaultdict

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

_PRODUCTS = {
    "mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "convolution", "mkldnn_linear", "_fused_addmm",
    "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math",
}  # fmt: skip


class Products(TorchDispatchMode):
    """The dtypes of matrix products outside of backward passes, by the model whose module is at work."""

    def __init__(self, truth):
        super().__init__()
        self.truth = truth

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        if name in _PRODUCTS and torch._C._current_graph_task_id() == -1 and self.truth.at_work:
            floating = [a.dtype for a in args if isinstance(a, torch.Tensor) and a.is_floating_point()]
            self.truth.add("compute", self.truth.at_work[-1], floating[0])
        return func(*args, **(kwargs or {}))


class Regions(TorchFunctionMode):
    """The region that is open where layers are called: seen from above autocast, which hides itself below."""

    def __init__(self, truth):
        super().__init__()
        self.truth = truth

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in (F.linear, F.conv2d) and self.truth.at_work and torch._C._current_graph_task_id() == -1:
            on = torch.is_autocast_enabled("cpu")
            self.truth.add("autocast", self.truth.at_work[-1], torch.get_autocast_dtype("cpu") if on else "off")
        return func(*args, **(kwargs or {}))


class Truth:
    """By respect and model, the names of the dtypes that were there: truth["gradients"][0] == {"float32"}."""

    def __init__(self):
        self.by = defaultdict(lambda: defaultdict(set))
        self.models, self.at_work, self.optimizers = [], [], []

    def add(self, aspect, model, dtype):
        self.by[aspect][model].add(str(dtype).removeprefix("torch."))

    def seen(self, model, optimizer=None):
        """The program tells of a model."""
        index = len(self.models)
        self.models.append((model, optimizer))
        for p in model.parameters():
            if p.requires_grad:
                p.register_post_accumulate_grad_hook(lambda p, i=index: self.add("gradients", i, p.grad.dtype))
        for module in model.modules():
            module.register_forward_pre_hook(lambda *_, i=index: self.at_work.append(i))
            module.register_forward_hook(lambda *_: self._end(), always_call=True)
        model.register_forward_hook(lambda *call, i=index: self._out(i, call[2]))

    def _end(self):
        self.at_work.pop()

    def _out(self, index, out):
        for tensor in out.values() if isinstance(out, dict) else (out,):
            self.add("outputs", index, tensor.dtype)

    def ended(self):
        """What is there in the end."""
        for index, (model, optimizer) in enumerate(self.models):
            for p in model.parameters():
                self.add("parameters", index, p.dtype)
            for b in model.buffers():
                if b.is_floating_point():
                    self.add("buffers", index, b.dtype)
            for state in optimizer.state.values() if optimizer else ():
                for key, value in state.items():
                    if isinstance(value, torch.Tensor) and key not in ("step", "absmax1"):
                        self.add("optimizer_states", index, value.dtype)


def truth(program, monkeypatch):
    """The program's real run."""
    found = Truth()
    plain = dist.all_reduce

    def all_reduce(tensor, *args, **kwargs):
        found.add("reduction", 0, tensor.dtype)
        return plain(tensor, *args, **kwargs)

    monkeypatch.setattr(dist, "all_reduce", all_reduce)
    torch.manual_seed(0)
    with Products(found), Regions(found):
        program(found.seen)
    found.ended()
    return {aspect: dict(models) for aspect, models in found.by.items()}
