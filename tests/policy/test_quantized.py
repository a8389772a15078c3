"""Codes are no weights: a quantized module stays whole, is told of, and gives what it gave without the policy."""

from __future__ import annotations

import importlib.util

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import miscast
from miscast import Policy
from models import tiny
from sweep import sweep

BF16, F16, F32, F8 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn


class Codes(torch.Tensor):
    """A weight of int8 codes and a scale that presents itself in the dtype it was made from."""

    @staticmethod
    def __new__(cls, codes, scale, dtype):
        return torch.Tensor._make_wrapper_subclass(cls, codes.shape, dtype=dtype)

    def __init__(self, codes, scale, _):
        self.codes, self.scale = codes, scale

    def __tensor_flatten__(self):
        return ["codes", "scale"], self.dtype

    def weight(self):
        return (self.codes.float() * self.scale).to(self.dtype)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.detach.default:
            return cls(args[0].codes, args[0].scale, args[0].dtype)
        plain = [a.weight() if isinstance(a, Codes) else a for a in args]
        return func(*plain, **(kwargs or {}))


class NoFlatten(Codes):
    __tensor_flatten__ = None

    def __getattribute__(self, name):
        if name == "__tensor_flatten__":
            raise AttributeError(name)
        return super().__getattribute__(name)


class Eight(nn.Module):
    """Float8 weights with a float32 scale; any input, and outputs in its dtype."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4).to(F8), requires_grad=False)
        self.weight_scale_inv = nn.Parameter(torch.rand(1))
        self.bias = nn.Parameter(torch.rand(4))

    def forward(self, x):
        return (F.linear(x.float(), self.weight.float() * self.weight_scale_inv) + self.bias).to(x.dtype)


class EightTable(nn.Embedding):
    """Gives rows in the dtype of its scale, whatever is around."""

    def __init__(self):
        super().__init__(8, 4)
        self.weight = nn.Parameter(torch.randn(8, 4).to(F8), requires_grad=False)
        self.register_buffer("scale", torch.rand(1))

    def forward(self, ids):
        return super().forward(ids).to(self.scale.dtype) * self.scale


class Packed(nn.Module):
    """Buffers of packed int32 codes, zeros, groups, and half scales, as GPTQ's and AWQ's."""

    def __init__(self):
        super().__init__()
        self.register_buffer("qweight", torch.randint(0, 9, (4, 4), dtype=torch.int32))
        self.register_buffer("qzeros", torch.zeros(1, 4, dtype=torch.int32))
        self.register_buffer("scales", torch.rand(1, 4, dtype=F16))
        self.register_buffer("g_idx", torch.zeros(4, dtype=torch.int32))

    def forward(self, x):
        return x @ ((self.qweight - self.qzeros) * self.scales).to(x.dtype)


class PackedParameter(nn.Module):
    """A parameter of bytes, and what belongs to it as plain attributes."""

    def __init__(self):
        super().__init__()
        self.W_q = nn.Parameter(torch.randint(0, 9, (4, 4), dtype=torch.uint8), requires_grad=False)
        self.bias = nn.Parameter(torch.rand(4))
        self.compute_dtype = F16

    def forward(self, x):
        return x @ self.W_q.to(self.compute_dtype) + self.bias.to(self.compute_dtype)


class Named(nn.Linear):
    """Not quantized yet: a layer of bitsandbytes before it is moved to a GPU. It casts for itself."""

    def __init__(self):
        super().__init__(4, 4)

    def forward(self, x):
        return super().forward(x.to(self.weight.dtype)).to(x.dtype)


class Noted(Named):
    """Its weight carries what is needed to read it."""

    def __init__(self):
        super().__init__()
        self.weight.quant_state = "nf4"


Named.__module__ = "bitsandbytes.nn.modules"


def _linear(kind, dtype):
    linear = nn.Linear(4, 4)
    linear.weight = nn.Parameter(kind(torch.randint(-9, 9, (4, 4), dtype=torch.int8), torch.rand(4, 1), dtype))
    linear.bias.data = linear.bias.data.to(dtype)
    return linear


QUANTIZED = {
    "float8": (Eight, "weight holds float8_e4m3fn codes"),
    "packed buffers": (Packed, "qweight holds int32 codes"),
    "packed parameter": (PackedParameter, "W_q holds uint8 codes"),
    "tensor subclass": (lambda: _linear(Codes, F32), "weight is a Codes of int8 codes"),
    "half tensor subclass": (lambda: _linear(Codes, F16), "weight is a Codes of int8 codes"),
    "tensor subclass that cannot be opened": (lambda: _linear(NoFlatten, F32), "weight is a NoFlatten of int8 codes"),
    "note": (Noted, "weight has a quant_state"),
    "name": (Named, "a layer of bitsandbytes"),
}


class Around(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.inner = inner
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.inner(self.first(x)))


def _own(module):
    return {**module._parameters, **module._buffers}


def _held(module):
    return {name: (tensor, tensor.dtype) for name, tensor in _own(module).items()}


@pytest.mark.parametrize("policy", ["bf16-true", "16-true", "32-true", "64-true", "bf16-mixed", "buffers=bfloat16"])
@sweep("case", QUANTIZED)
def test_stays_whole_and_is_told_of(case, policy):
    build, reason = QUANTIZED[case]
    torch.manual_seed(0)
    model = Around(build())
    before = _held(model.inner)
    handle = miscast.apply(model, policy)
    after = _held(model.inner)
    assert all(after[name][0] is tensor and after[name][1] == dtype for name, (tensor, dtype) in before.items())
    told = {k.path.removeprefix("inner."): k.reason for k in handle.kept}
    assert set(told.values()) <= {f"quantized: {reason}"}
    floats = {tensor.dtype for tensor in _own(model.inner).values() if tensor.is_floating_point()}
    assert told or policy == "buffers=bfloat16" or floats <= {model.first.weight.dtype}, "nothing would have changed"
    if policy != "buffers=bfloat16":
        out = model(torch.ones(2, 4))
        assert out.dtype == (BF16 if policy == "bf16-mixed" else model.first.weight.dtype)
    handle.remove()
    assert model.first.weight.dtype == F32


@pytest.mark.filterwarnings("ignore:the override 'inner.weight'")
@sweep("case", QUANTIZED)
def test_an_override_that_names_it_does_not_convert_it(case):
    model = Around(QUANTIZED[case][0]())
    before = _held(model.inner)
    handle = miscast.apply(model, Policy(param_dtype=BF16, overrides={"inner": BF16, "inner.weight": F16, "**": BF16}))
    assert all(_held(model.inner)[name][1] == dtype for name, (_, dtype) in before.items())
    assert {k.path.split(".")[0] for k in handle.kept} == {"inner"}


def test_what_leaves_it_is_as_around():
    model = nn.Sequential(EightTable(), nn.Linear(4, 4))
    handle = miscast.apply(model, "bf16-true")
    assert {k.path for k in handle.kept} == {"0.weight", "0.scale"}
    assert model(torch.tensor([1, 2])).dtype == BF16


def test_its_inputs_are_what_its_weight_presents_itself_in():
    model = Around(_linear(Codes, F32))
    seen = []
    model.inner.register_forward_hook(lambda _, args, out: seen.append((args[0].dtype, out.dtype)))
    miscast.apply(model, "bf16-true")
    reference = model.inner(model.first(torch.ones(1, 4)).float())
    assert seen.pop() == (F32, F32)
    assert torch.equal(model.inner(torch.ones(1, 4)), model.inner(torch.ones(1, 4)))
    assert reference.dtype == BF16


class Masks(nn.Module):
    """Integers beside floats that are no codes of them."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4))
        self.logit_scale = nn.Parameter(torch.rand(1))
        self.steps = nn.Parameter(torch.tensor(3, dtype=torch.int32), requires_grad=False)
        self.register_buffer("index", torch.zeros(4, 4, dtype=torch.int64))
        self.register_buffer("offsets", torch.zeros(4, dtype=torch.int32))
        self.register_buffer("mask", torch.ones(4, 4, dtype=torch.bool))


class Triangle(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4))
        self.register_buffer("bias", torch.ones(4, 4, dtype=torch.uint8))


@pytest.mark.parametrize("build", [Masks, Triangle, tiny.unet, tiny.llama, tiny.qwen2_vl, tiny.whisper, tiny.mixtral])
def test_what_only_holds_integers_is_converted(build):
    model = build()
    handle = miscast.apply(model, "bf16-true")
    assert not any(k.reason.startswith("quantized") for k in handle.kept)


def test_data_does_not_become_codes():
    model = nn.Sequential(Eight(), nn.Linear(4, 4).to(BF16))
    assert miscast.cast(torch.ones(1), like=model).dtype == F32


def test_the_fp8_layers_of_transformers():
    fp8 = pytest.importorskip("transformers.integrations.finegrained_fp8")
    torch.manual_seed(0)
    weight = torch.randn(128, 128)
    scale = weight.abs().max() / 448
    layer = fp8.FP8Linear(128, 128, block_size=(128, 128))
    layer.weight.data = (weight / scale).to(F8)
    layer.weight_scale_inv.data = scale.reshape(1, 1)
    model = nn.Sequential(layer)
    for policy in ("bf16-true", Policy(param_dtype=BF16, overrides={"0": BF16}), "bf16-mixed"):
        handle = miscast.apply(model, policy)
        read = (layer.weight.float() * layer.weight_scale_inv).detach()
        assert read.norm() == pytest.approx(float(weight.norm()), rel=0.01)
        assert (layer.weight.dtype, layer.weight_scale_inv.dtype) == (F8, F32)
        assert {k.path for k in handle.kept} >= {"0.weight"}


@pytest.mark.skipif(importlib.util.find_spec("torchao") is None, reason="torchao is not installed")
@pytest.mark.parametrize("dtype", [F32, BF16])
def test_torchao(dtype):
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    model = nn.Sequential(nn.Linear(32, 32), nn.Linear(32, 32)).to(dtype)
    quantize_(model[1], Int8WeightOnlyConfig())
    weight = model[1].weight
    handle = miscast.apply(model, "bf16-true")
    assert model[1].weight is weight
    assert weight.dtype == dtype
    told = {k.path: k.reason for k in handle.kept}
    assert told.keys() == ({"1.weight", "1.bias"} if dtype == F32 else set())
    assert all("torchao" in reason for reason in told.values())
    assert model(torch.randn(2, 32)).dtype == BF16


@pytest.mark.skipif(importlib.util.find_spec("bitsandbytes") is None, reason="bitsandbytes is not installed")
@pytest.mark.filterwarnings("ignore")
def test_bitsandbytes():
    import bitsandbytes

    model = nn.Sequential(nn.Linear(32, 32), bitsandbytes.nn.Linear4bit(32, 32)).to("cpu")
    weight = model[1].weight
    codes, state = weight.data.clone(), weight.quant_state
    handle = miscast.apply(model, "bf16-true", device="cpu")
    assert model[1].weight.quant_state is state
    assert torch.equal(model[1].weight.data, codes)
    assert {k.path for k in handle.kept} == {"1.weight", "1.bias"}
    assert model(torch.randn(2, 32)).dtype == BF16


@pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="gguf is not installed")
@pytest.mark.filterwarnings("ignore")
def test_gguf_of_diffusers():
    import gguf
    import numpy as np
    from diffusers.quantizers.gguf.utils import GGUFLinear, GGUFParameter

    kind = gguf.GGMLQuantizationType.Q8_0
    codes = gguf.quants.quantize(np.random.default_rng(0).standard_normal((32, 32), dtype="float32"), kind)
    layer = GGUFLinear(32, 32, compute_dtype=F16)
    layer.weight = GGUFParameter(torch.from_numpy(codes), quant_type=kind)
    model = nn.Sequential(nn.Linear(32, 32), layer, nn.Linear(32, 4))
    handle = miscast.apply(model, "bf16-true")
    assert torch.equal(layer.weight.as_tensor(), torch.from_numpy(codes))
    assert {k.reason for k in handle.kept} == {"quantized: weight has a quant_type"}
    assert model(torch.randn(2, 32)).dtype == BF16
