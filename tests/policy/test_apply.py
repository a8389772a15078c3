"""A policy put to work on modules: what is converted, what is kept, what hooks do, and how it all comes off again."""

from __future__ import annotations

import copy
import io
import pickle
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import miscast
from miscast import Policy, PolicyError
from miscast.policy.application import remove
from miscast.policy.boundary import Boundary, boundaries
from models import tiny
from sweep import sweep

BF16, F16, F32, F64 = torch.bfloat16, torch.float16, torch.float32, torch.float64


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.linear = nn.Linear(8, 8)

    def forward(self, x, scale=None):
        y = self.linear(self.norm(x))
        return x + (y if scale is None else y * scale)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(8, 10, bias=False)
        self.register_buffer("scale", torch.ones(8))

    def forward(self, ids, extra=None):
        x = self.embed(ids) if not ids.is_floating_point() else ids
        for block in self.blocks:
            x = block(x, scale=self.scale)
        return self.head(x if extra is None else x + extra["extra"])


IDS = torch.tensor([[1, 2, 3]])


def _net():
    torch.manual_seed(0)
    return Net()


def _hooks(model):
    """Those of a region stand around the call."""
    around = sum("_call_impl" in vars(m) for m in model.modules())
    return around + sum(len(m._forward_pre_hooks) + len(m._forward_hooks) for m in model.modules())


def _dtypes(model):
    return {tensor.dtype for tensor in (*model.parameters(), *model.buffers())}


@pytest.mark.parametrize(
    ("name", "dtype"), {"bf16-true": BF16, "16-true": F16, "32-true": F32, "64-true": F64}.items()
)
def test_true_policies(name, dtype):
    net = _net()
    miscast.apply(net, name)
    assert _dtypes(net) == {dtype}
    for given in (IDS, torch.ones(1, 3, 8), torch.ones(1, 3, 8, dtype=F64), torch.ones(1, 3, 8, dtype=F16)):
        assert net(given, extra={"extra": torch.ones(8)}).dtype == dtype
    net(IDS).sum().backward()
    assert {p.grad.dtype for p in net.parameters()} == {dtype}


@pytest.mark.parametrize("name", ["bf16-mixed", "16-mixed"])
def test_mixed_policies_are_autocast_bit_for_bit(name):
    net, reference = _net(), _net()
    miscast.apply(net, name)
    dtype = BF16 if name.startswith("bf16") else F16
    for given in (IDS, torch.randn(1, 3, 8)):
        out = net(given)
        with torch.autocast("cpu", dtype):
            expected = reference(given)
        assert torch.equal(out, expected)
        assert out.dtype == expected.dtype == dtype
    out.float().sum().backward()
    expected.float().sum().backward()
    for (path, ours), (_, theirs) in zip(net.named_parameters(), reference.named_parameters(), strict=True):
        assert ours.dtype == F32
        assert (ours.grad is None) == (theirs.grad is None), path
        assert ours.grad is None or (ours.grad.dtype == F32 and torch.equal(ours.grad, theirs.grad)), path
    assert not torch.is_autocast_enabled("cpu")


def test_autocast_ends_after_an_error():
    net = _net()
    miscast.apply(net, "bf16-mixed")
    with pytest.raises(RuntimeError):
        net(torch.ones(1, 3, 7))
    assert not torch.is_autocast_enabled("cpu")
    assert all(b.running.depth == 0 for m in net.modules() for b in boundaries(m))
    assert net(IDS).dtype == BF16


def test_output_dtype():
    net = _net()
    miscast.apply(net, "params=float32,compute=bfloat16,output=float32")
    assert net(IDS).dtype == F32
    miscast.apply(net, Policy(param_dtype=BF16, output_dtype=F64))
    assert net(IDS).dtype == F64


def test_inside_a_region_nothing_is_hooked():
    """The model itself, and the two parts of it that could be called by themselves; no block, no layer."""
    net = _net()
    handle = miscast.apply(net, "bf16-true")
    assert handle.boundaries == ("", "embed", "head")
    assert _hooks(net) == 3
    assert _hooks(net.blocks) == 0


def test_an_override_is_a_boundary_of_its_own():
    net = _net()
    seen = []
    for module in (net.blocks[0].norm, net.blocks[1].norm):
        module.register_forward_hook(lambda _, args, out: seen.append((args[0].dtype, out.dtype)))
    handle = miscast.apply(net, Policy(param_dtype=BF16, overrides={"**.norm": F32}))
    assert handle.boundaries == ("", "embed", "blocks.0.norm", "blocks.1.norm", "head")
    assert net(IDS).dtype == BF16
    assert net.blocks[0].norm.weight.dtype == F32
    assert seen == [(F32, F32)] * 2
    after = []
    net.blocks[0].linear.register_forward_pre_hook(lambda _, args: after.append(args[0].dtype))
    net(IDS)
    assert after == [BF16], "what leaves the float32 norm is as around it"


def test_an_override_inside_an_autocast_region_switches_it_off():
    net = _net()
    seen = []
    net.blocks[0].linear.register_forward_hook(lambda *given: seen.append(given[-1].dtype))
    net.blocks[1].linear.register_forward_hook(lambda *given: seen.append(given[-1].dtype))
    miscast.apply(net, Policy(param_dtype=F32, compute_dtype=BF16, overrides={"blocks.1": F32}))
    assert net(IDS).dtype == BF16
    assert seen == [BF16, F32]


CASES = {
    "nearest goes first": ({"blocks.0.norm": "float32", "blocks": "float16"}, (F32, F16, F16, F16)),
    "and so in the other order": ({"blocks": "float16", "blocks.0.norm": "float32"}, (F32, F16, F16, F16)),
    "the last of two for one module": ({"**.norm": "float32", "blocks.*.norm": "float16"}, (F16, BF16, F16, BF16)),
    "by class": ({nn.LayerNorm: "float32"}, (F32, BF16, F32, BF16)),
    "by the name of a class": ({"class:Block": "float32"}, (F32, F32, F32, F32)),
    "by a public name": ({"class:torch.nn.LayerNorm": "float32"}, (F32, BF16, F32, BF16)),
    "a star stays in a name": ({"*.norm": "float32", "bl*": "float16"}, (F16, F16, F16, F16)),
    "but not one that a bare name begins with": ({"*norm*": "float32"}, (F32, BF16, F32, BF16)),
    "whatever is around": ({"*orm": "float32", "**lin*": "float16"}, (F32, F16, F32, F16)),
    "two cross dots within a name": ({"**norm*": "float32"}, (F32, BF16, F32, BF16)),
    "at the end they may cross none": ({"blocks.0.**": "float32"}, (F32, F32, BF16, BF16)),
    "a choice of letters": ({"blocks.[!1].nor?": "float32"}, (F32, BF16, BF16, BF16)),
    "two cross dots": ({"blocks.**": "float32"}, (F32, F32, F32, F32)),
}


@pytest.mark.filterwarnings(r"ignore:the override '\*.norm' matches no module")
@sweep("case", CASES)
def test_which_override_wins(case):
    overrides, dtypes = CASES[case]
    net = _net()
    miscast.apply(net, Policy(param_dtype=BF16, overrides=overrides))
    found = tuple(m.weight.dtype for block in net.blocks for m in (block.norm, block.linear))
    assert found == dtypes
    assert net.head.weight.dtype == BF16
    assert net(IDS).dtype == BF16


LESS = {
    "*.norm": "matches no module: '**.norm' would match blocks.0.norm, blocks.1.norm",
    "norm": "matches no module: '**.norm' would match blocks.0.norm, blocks.1.norm",
    "nor*": "matches no module: '**.nor*' would match blocks.0.norm, blocks.1.norm",
    "bl*.linear": "matches no module: '**.bl**.linear' would match blocks.0.linear, blocks.1.linear",
    "b[lx]ocks.linear": "matches no module: did you mean blocks.1.linear?",
    "heads": "matches no module: did you mean head?",
}


def _told(model, overrides):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        miscast.apply(model, Policy(param_dtype=BF16, overrides=dict.fromkeys(overrides, F32)))
    return [str(warning.message).removeprefix("the override ") for warning in told]


@pytest.mark.parametrize("pattern", LESS)
def test_an_override_that_names_less_than_it_seems_to(pattern):
    assert _told(_net(), [pattern]) == [f"{pattern!r} {LESS[pattern]}"]


def test_an_override_that_names_some_of_what_it_seems_to():
    net = nn.ModuleDict({"norm": nn.LayerNorm(8), "deep": _net(), "top": nn.Sequential(nn.LayerNorm(8))})
    assert _told(net, ["norm", "t*.0", "deep.*", "deep.blocks.*.norm", "*norm", "**.norm"]) == []
    assert _told(net, ["deep.*.norm"]) == [
        "'deep.*.norm' matches no module: '**.deep.**.norm' would match deep.blocks.0.norm, deep.blocks.1.norm"
    ]
    net["deep"].norm, net["deep"].blocks[0].inner = nn.LayerNorm(8), _net()
    fewer = "'*.norm' matches fewer modules than it seems to: '**.norm' would match norm, deep.blocks.0.norm"
    assert _told(net, ["*.norm"]) == [f"{fewer}, deep.blocks.0.inner.blocks.0.norm and 2 more"]


def test_times_and_positions_keep_their_dtype():
    class Timed(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x, timestep, more=None):
            return x, timestep, more

    model = Timed()
    miscast.apply(model, "bf16-true")
    time = torch.tensor([981.25])
    x, timestep, more = model(torch.ones(2), time, more={"time_ids": time, "other": time})
    assert x.dtype == BF16
    assert timestep is time
    assert more["time_ids"] is time
    assert more["other"].dtype == BF16


def test_what_fits_is_handed_on_untouched():
    class Identity(nn.Linear):
        def forward(self, x, **more):
            return x, more

    model = Identity(2, 2)
    miscast.apply(model, "32-true")
    x, tree = torch.ones(2), [torch.ones(2), {"a": torch.ones(1, dtype=torch.int32)}]
    out, more = model(x, tree=tree)
    assert out is x
    assert more["tree"] is tree


def test_parameters_stay_the_same_objects():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before = dict(net.named_parameters())
    net.head.weight.requires_grad_(False)
    net.embed.weight.grad = torch.ones_like(net.embed.weight)
    miscast.apply(net, "bf16-true")
    assert all(before[path] is p for path, p in net.named_parameters())
    assert not net.head.weight.requires_grad
    assert net.embed.weight.grad.dtype == BF16
    weight = net.embed.weight.clone()
    optimizer.step()
    assert not torch.equal(weight, net.embed.weight)


def test_tied_weights_stay_tied():
    net = _net()
    net.head.weight = net.embed.weight
    miscast.apply(net, "bf16-true")
    assert net.head.weight is net.embed.weight
    assert net.head.weight.dtype == BF16
    with pytest.raises(PolicyError) as error:
        miscast.apply(net, Policy(param_dtype=F16, overrides={"head": F32}))
    tied = "embed.weight and head.weight share a tensor, but the policy stores it in float16 and float32"
    assert str(error.value) == f"{tied}: give both the same override"
    assert _dtypes(net) == {BF16}, "nothing was changed"
    assert _hooks(net) == 3


def test_a_shared_module_is_converted_once():
    net = _net()
    net.blocks[1] = net.blocks[0]
    handle = miscast.apply(net, Policy(param_dtype=BF16, overrides={"**.norm": F32}))
    assert handle.boundaries == ("", "embed", "blocks.0.norm", "head")
    assert net(IDS).dtype == BF16
    with pytest.raises(PolicyError, match=r"blocks\.0 and blocks\.1 are the same module"):
        miscast.apply(net, Policy(param_dtype=BF16, overrides={"blocks.0": F32}))


def test_state_dict_is_unchanged():
    net, plain = _net(), _net()
    miscast.apply(net, Policy(param_dtype=BF16, overrides={"**.norm": F32}))
    assert list(net.state_dict()) == list(plain.state_dict())
    net.load_state_dict(plain.state_dict())
    buffer = io.BytesIO()
    torch.save(net.state_dict(), buffer)


@pytest.mark.parametrize("name", ["bf16-true", "bf16-mixed"])
def test_copies_have_boundaries_of_their_own(name):
    net = _net()
    handle = miscast.apply(net, Policy.parse(name))
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert torch.equal(twin(IDS), net(IDS))
        ours = {id(b) for m in net.modules() for b in boundaries(m)}
        theirs = [b for m in twin.modules() for b in boundaries(m)]
        assert len(theirs) == len(ours)
        assert not ours & {id(b) for b in theirs}
        inside = {id(m) for m in twin.modules()}
        assert all(id(anchor.module) in inside for b in theirs for anchor in (b.place, b.inside, b.outside) if anchor)
        assert all(id(o.module) in inside for b in theirs for o in b.originals)
        assert len(miscast.apply(twin, name).boundaries) == len(handle.boundaries)
        assert _hooks(twin) == _hooks(net)
        remove(twin)
        assert _hooks(twin) == 0
        assert _dtypes(twin) == {F32}
    assert _hooks(net) > 0


def test_applying_again_adds_nothing():
    net = _net()
    policy = Policy(param_dtype=BF16, overrides={"**.norm": F32})
    first = miscast.apply(net, policy)
    hooks = _hooks(net)
    second = miscast.apply(net, policy)
    assert _hooks(net) == hooks
    assert first.boundaries == second.boundaries
    second.remove()
    assert _hooks(net) == 0
    assert _dtypes(net) == {F32}, "as before the first"


def test_another_policy_replaces_the_first():
    net = _net()
    first = miscast.apply(net, Policy(param_dtype=BF16, overrides={"**.norm": F32}))
    second = miscast.apply(net, "16-true")
    assert _dtypes(net) == {F16}
    assert _hooks(net) == 3
    assert net(IDS).dtype == F16
    second.remove()
    assert _dtypes(net) == {F32}
    miscast.apply(net, "16-true")
    first.remove()
    assert _dtypes(net) == {F32}, "a handle speaks of its model, whatever policy is in effect there"


def test_removing_after_a_part_had_a_policy_of_its_own():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    miscast.apply(model, "bf16-true")
    miscast.apply(model[0], "16-true")
    miscast.apply(model, "64-true").remove()
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def test_removing():
    net = _net().double()
    before = {path: p.detach().clone() for path, p in net.named_parameters()}
    mine = net.head.register_forward_hook(lambda *_: None)
    handle = miscast.apply(net, "bf16-true")
    handle.remove()
    handle.remove()
    assert _dtypes(net) == {F64}
    assert _hooks(net) == 1, "hooks of others stay"
    mine.remove()
    for path, p in net.named_parameters():
        assert torch.equal(p, before[path].to(BF16).double()), "rounded values stay rounded"
    wider = _net()
    before = {path: p.detach().clone() for path, p in wider.named_parameters()}
    miscast.apply(wider, "64-true").remove()
    assert all(torch.equal(p, before[path]) for path, p in wider.named_parameters())


def test_moving_the_model_later_moves_its_boundaries():
    net = nn.Linear(2, 2)
    miscast.apply(net, "bf16-true")
    boundary = next(boundaries(net))
    assert boundary.device(net) == torch.device("cpu")
    net.double()
    assert net(torch.ones(2)).dtype == F64, "a pipeline may raise its VAE"
    net.to("meta")
    assert boundary.device(net) is None, "a model on meta has no place yet"


def test_device():
    net = _net()
    handle = miscast.apply(net, "bf16-true", device="meta")
    assert {p.device.type for p in (*net.parameters(), *net.buffers())} == {"meta"}
    assert isinstance(next(boundaries(net)), Boundary)
    assert handle.boundaries
    net.to_empty(device="cpu")
    assert net(IDS).device.type == "cpu"


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.free = nn.BatchNorm2d(4, track_running_stats=False)

    def forward(self, x):
        return self.free(self.norm(self.conv(x)))


@pytest.mark.parametrize("name", ["bf16-true", "16-true"])
def test_running_statistics_stay_float32(name):
    model = Norms()
    handle = miscast.apply(model, name)
    dtype = Policy.parse(name).param_dtype
    assert {p.dtype for p in (*model.norm.parameters(), model.norm.running_var)} == {F32}
    assert str(model.free.weight.dtype) == f"torch.{dtype}"
    assert [(k.path, k.dtype, k.reason) for k in handle.kept] == [
        (f"norm.{name}", "float32", "running statistics") for name in ("weight", "bias", "running_mean", "running_var")
    ]
    assert str(model(torch.randn(2, 3, 8, 8)).dtype) == f"torch.{dtype}"
    assert model.norm.num_batches_tracked == 1
    miscast.apply(model, Policy(param_dtype="float64"))
    assert model.norm.running_mean.dtype == F64, "wider than float32 they may be"
    miscast.apply(model, Policy(param_dtype=dtype, overrides={"norm": dtype}))
    assert str(model.norm.running_mean.dtype) == f"torch.{dtype}", "who names them means it"


def test_rotary_frequencies_stay_float32():
    model, plain = tiny.llama(), tiny.llama()
    handle = miscast.apply(model, "bf16-true")
    assert {k.path.rpartition(".")[2] for k in handle.kept} == {"inv_freq", "original_inv_freq"}
    assert torch.equal(model.model.rotary_emb.inv_freq, plain.model.rotary_emb.inv_freq)
    assert model(input_ids=IDS).logits.dtype == BF16


@pytest.mark.parametrize(("name", "dtype"), {"16-true": F32, "bf16-true": BF16}.items())
def test_what_a_transformers_model_keeps(name, dtype):
    """T5 keeps `wo` in float32 where the rest is float16, and casts its input itself."""
    model = tiny.t5()
    miscast.apply(model, name)
    assert model.encoder.block[0].layer[1].DenseReluDense.wo.weight.dtype == dtype
    assert model(input_ids=IDS, labels=IDS).loss.isfinite()


def test_what_a_diffusers_model_keeps():
    from diffusers.models.modeling_utils import ModelMixin

    class Model(ModelMixin):
        _keep_in_fp32_modules = ("time", "table")

        def __init__(self):
            super().__init__()
            self.time = nn.Linear(2, 2)
            self.times = nn.Linear(2, 2)
            self.table = nn.Parameter(torch.ones(2))

        def forward(self, x):
            return self.times(x) + self.time(x.float()).to(x.dtype) * self.table.to(x.dtype)

    model = Model()
    handle = miscast.apply(model, "bf16-true")
    assert {k.path for k in handle.kept} == {"table", "time.weight", "time.bias"}
    assert model.times.weight.dtype == BF16
    assert model(torch.ones(2)).dtype == BF16


ONLY = "autocast can only run float32, float16 and bfloat16 parameters in float16 or bfloat16"


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Policy(param_dtype=F16, compute_dtype=F32),
            f"compute_dtype float32 over parameters in float16 (embed.weight): {ONLY}; store them in float32",
        ),
        (
            Policy(param_dtype=F64, compute_dtype=BF16),
            f"compute_dtype bfloat16 over parameters in float64 (embed.weight): {ONLY}; store them in bfloat16",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(policy, message):
    net = _net()
    with pytest.raises(PolicyError) as error:
        miscast.apply(net, policy)
    assert str(error.value) == message
    assert _dtypes(net) == {F32}
    assert _hooks(net) == 0


@pytest.mark.parametrize("target", [3, "unet", {}, {"a": 1}, object()])
def test_what_has_no_modules(target):
    with pytest.raises(TypeError, match="a policy can be applied to a module, a pipeline or a mapping of "
        "modules, not to"):
        miscast.apply(target, "bf16-true")


def test_a_policy_without_dtypes_moves_only():
    net = _net()
    miscast.apply(net, Policy())
    assert _dtypes(net) == {F32}
    assert net(IDS).dtype == F32


def test_compute_dtype_alone_is_an_autocast_region():
    net = _net()
    miscast.apply(net, Policy(compute_dtype=BF16))
    assert _dtypes(net) == {F32}
    assert net(IDS).dtype == BF16


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("name", ["bf16-true", "bf16-mixed"])
def test_activation_checkpointing(name, reentrant):
    def run(checkpointed):
        model = tiny.llama()
        model.load_state_dict(weights)
        model.train()
        if checkpointed:
            model.gradient_checkpointing_enable({"use_reentrant": reentrant})
        miscast.apply(model, name)
        model(input_ids=IDS, labels=IDS).loss.backward()
        return [p.grad for p in model.parameters()]

    weights = tiny.llama().state_dict()
    assert all(torch.equal(a, b) for a, b in zip(run(checkpointed=False), run(checkpointed=True), strict=True))


def test_batches_of_several_modalities():
    model = tiny.llava()
    miscast.apply(model, Policy(param_dtype=BF16, overrides={"**.vision_tower": F32}))
    ids = torch.tensor([[0, 48, 48, 48, 48, 7, 9]])
    out = model(input_ids=ids, pixel_values=torch.randn(1, 3, 8, 8), attention_mask=torch.ones_like(ids), labels=ids)
    assert out.logits.dtype == BF16
    out.loss.backward()
    assert model.model.vision_tower.encoder.layers[0].mlp.fc1.weight.grad.dtype == F32


def test_recurrent_layers():
    model = nn.ModuleDict({"lstm": nn.LSTM(4, 4, batch_first=True)})
    miscast.apply(model, "bf16-true")
    packed = nn.utils.rnn.pack_sequence([torch.ones(3, 4), torch.ones(1, 4)])
    out, _ = model["lstm"](packed)
    assert out.data.dtype == BF16
    assert F.relu(model["lstm"](torch.ones(1, 2, 4))[0]).dtype == BF16
