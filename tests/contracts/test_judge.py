"""What the contracts say of a call: (op, operands, kind of device) and the violation, or None."""

from __future__ import annotations

import re

import pytest

from miscast.torch_facts import contracts
from miscast.torch_facts.contracts import (
    Contract,
    Input,
    contracts_for,
    judge,
    pointwise_contract,
)
from sweep import sweep

TORCH = (2, 13)
HALF, BF16, FLOAT, DOUBLE, LONG, INT, BOOL = "float16", "bfloat16", "float32", "float64", "int64", "int32", "bool"


def operands(device, **named):
    """`weight=HALF` has one dimension, `weight=(HALF, 2)` two; `mask=(BOOL, 2, "cpu")` lives elsewhere.

    `tensors=[HALF, FLOAT]` is a list argument.
    """
    found = []
    for name, given in named.items():
        items = [(f"{name}[{i}]", item) for i, item in enumerate(given)] if isinstance(given, list) else [(name, given)]
        for label, item in items:
            told = (item,) if isinstance(item, str) else item
            dtype, dim, where = (*told, *(1, device)[len(told) - 1 :])
            found.append(Input(name=label, dtype=dtype, device=where, dim=dim))
    return found


DTYPES = [
    # op, device, operands, odd, like, expected, error
    ("aten.linear", "cpu", {"input": FLOAT, "weight": HALF},
     ("input",), "weight", HALF, "expected m1 and m2 to have the same dtype, but got: float != c10::Half"),
    ("aten.linear", "cuda:0", {"input": FLOAT, "weight": BF16},
     ("input",), "weight", BF16, "expected mat1 and mat2 to have the same dtype, but got: float != c10::BFloat16"),
    ("aten.linear", "cuda:0", {"input": FLOAT, "weight": HALF, "bias": HALF},
     ("input",), "weight", HALF, "mat1 and mat2 must have the same dtype, but got Float and Half"),
    ("aten.linear", "cuda:0", {"input": HALF, "weight": HALF, "bias": FLOAT},
     ("bias",), "weight", HALF, "self and mat2 must have the same dtype, but got Float and Half"),
    ("aten.addmm", "cuda:0", {"self": HALF, "mat1": FLOAT, "mat2": HALF},
     ("mat1",), "mat2", HALF, "mat1 and mat2 must have the same dtype, but got Float and Half"),
    ("aten.bmm", "cuda:0", {"self": HALF, "mat2": FLOAT},
     ("mat2",), "self", HALF, "expected scalar type Half but found Float"),
    ("aten.matmul", "cuda:0", {"self": (FLOAT, 2), "other": (HALF, 2)},
     ("other",), "self", FLOAT, "expected mat1 and mat2 to have the same dtype, but got: float != c10::Half"),
    ("aten.matmul", "cuda:0", {"self": (FLOAT, 4), "other": (HALF, 4)},
     ("other",), "self", FLOAT, "expected scalar type Float but found Half"),
    ("aten.conv2d", "cuda:0", {"input": FLOAT, "weight": HALF, "bias": HALF},
     ("input",), "weight", HALF, "Input type (float) and bias type (c10::Half) should be the same"),
    ("aten.conv2d", "cuda:0", {"input": HALF, "weight": FLOAT},
     ("input",), "weight", FLOAT,
     "Input type (torch.cuda.HalfTensor) and weight type (torch.cuda.FloatTensor) should be the same"),
    ("aten.layer_norm", "cuda:0", {"input": HALF, "weight": FLOAT, "bias": FLOAT},
     ("input",), "weight", FLOAT, "expected scalar type Half but found Float"),
    ("aten.layer_norm", "cpu", {"input": FLOAT, "weight": HALF, "bias": HALF},
     ("input",), "weight", HALF, "mixed dtype (CPU): expect parameter to have scalar type of Float"),
    ("aten.layer_norm", "cpu", {"input": DOUBLE, "weight": FLOAT, "bias": FLOAT},
     ("input",), "weight", FLOAT, "mixed dtype (CPU): all inputs must share same datatype."),
    ("aten.group_norm", "cuda:0", {"input": HALF, "weight": FLOAT, "bias": FLOAT},
     ("input",), "weight", FLOAT, "expected scalar type Half but found Float"),
    ("aten.batch_norm", "cuda:0",
     {"input": FLOAT, "weight": HALF, "bias": HALF, "running_mean": FLOAT, "running_var": FLOAT},
     ("input",), "weight", HALF,
     ("Expected tensor for argument #1 'input' to have the same type as tensor for argument #2 'weight'; but type "
     "torch.cuda.FloatTensor does not equal torch.cuda.HalfTensor (while checking arguments for cudnn_batch_norm)")),
    ("aten.scaled_dot_product_attention", "cuda:0", {"query": HALF, "key": HALF, "value": FLOAT},
     ("value",), "query", HALF, ("Expected query, key, and value to have the same dtype, but got query.dtype: "
     "c10::Half key.dtype: c10::Half and value.dtype: float instead.")),
    ("aten.scaled_dot_product_attention", "cuda:0",
     {"query": FLOAT, "key": FLOAT, "value": FLOAT, "attn_mask": HALF}, ("attn_mask",), "query", FLOAT, None),
    ("aten.scaled_dot_product_attention", "cuda:0",
     {"query": HALF, "key": HALF, "value": HALF, "attn_mask": FLOAT}, ("attn_mask",), "query", HALF,
     "invalid dtype for bias - should match query's dtype"),
    ("aten.embedding", "cpu", {"weight": FLOAT, "indices": FLOAT}, ("indices",), None, LONG,
     ("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
     "torch.FloatTensor instead (while checking arguments for embedding)")),
    ("aten.index_put_", "cuda:0", {"self": HALF, "indices": [LONG], "values": FLOAT}, ("values",), "self", HALF,
     ("Index put requires the source and destination dtypes match, got Half for the destination and Float for the "
     "source.")),
    ("aten.index.Tensor", "cuda:0", {"self": HALF, "indices": [FLOAT]}, ("indices[0]",), None, LONG,
     "tensors used as indices must be long, int, byte or bool tensors"),
    ("aten.scatter_.src", "cuda:0", {"self": HALF, "index": LONG, "src": FLOAT}, ("src",), "self", HALF,
     "scatter(): Expected self.dtype to be equal to src.dtype"),
    ("aten.masked_fill_.Scalar", "cuda:0", {"self": HALF, "mask": "uint8"}, ("mask",), None, BOOL,
     "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"),
    ("aten.nll_loss_nd", "cuda:0", {"self": (FLOAT, 2), "target": FLOAT}, ("target",), None, LONG,
     "expected target dtype to be Long or Byte, but got Float"),
    ("aten.cross_entropy_loss", "cuda:0", {"self": (FLOAT, 2), "target": INT}, ("target",), None, LONG,
     "expected target dtype to be Long or Byte, but got Int"),
    ("aten.cross_entropy_loss", "cpu", {"self": (FLOAT, 2), "target": (LONG, 2)}, ("target",), "self", FLOAT,
     "Expected floating point type for target with class probabilities, got Long"),
    ("aten.binary_cross_entropy", "cuda:0", {"self": FLOAT, "target": LONG}, ("target",), "self", FLOAT,
     "Found dtype Long but expected Float"),
    ("aten.lerp.Scalar", "cuda:0", {"self": HALF, "end": FLOAT}, ("end",), "self", HALF,
     "expected dtype c10::Half for `end` but got dtype float"),
    ("aten._foreach_lerp_.Scalar", "cuda:0", {"self": [HALF, FLOAT], "tensors1": [HALF, HALF]},
     ("tensors1[1]",), "self[1]", FLOAT, "expected dtype float for `end` but got dtype c10::Half"),
    ("aten._fused_adamw_", "cuda:0", {"self": [HALF], "grads": [FLOAT], "exp_avgs": [HALF], "exp_avg_sqs": [HALF]},
     ("grads[0]",), "self[0]", HALF,
     "params, grads, exp_avgs, and exp_avg_sqs must have same dtype, device, and layout"),
    ("aten.lstm.input", "cuda:0", {"input": FLOAT, "hx": [FLOAT, FLOAT], "params": [HALF, HALF]},
     ("input", "hx[0]", "hx[1]"), "params[0]", HALF, ("Input and parameter tensors are not the same dtype, found input "
     "tensor with Float and parameter tensor with Half")),
    ("aten.linalg_solve_ex", "cpu", {"A": DOUBLE, "B": FLOAT}, ("B",), "A", DOUBLE,
     "linalg.solve: Expected A and B to have the same dtype, but found A of type Double and B of type Float instead"),
    ("aten.add.Tensor", "cuda:0", {"self": FLOAT, "other": "float8_e5m2"}, ("other",), "self", FLOAT,
     "Promotion for Float8 Types is not supported, attempted to promote Float and Float8_e5m2"),
]  # fmt: skip


def call_of(op, device, named):
    inputs = operands(device, **named)
    contract = contracts_for(op, device.split(":")[0], TORCH) or pointwise_contract(op)
    return judge(contract, inputs)


@sweep(("op", "device", "named", "odd", "like", "expected", "error"), DTYPES)
def test_a_dtype_that_does_not_fit_is_named(op, device, named, odd, like, expected, error):
    (violation,) = call_of(op, device, named)
    assert (violation.kind, violation.odd, violation.like, violation.expected) == ("dtype", odd, like, expected)
    assert violation.error == error or error is None


IN_ORDER = [
    ("aten.linear", "cuda:0", {"input": HALF, "weight": HALF, "bias": HALF}),
    ("aten.layer_norm", "cpu", {"input": HALF, "weight": FLOAT, "bias": FLOAT}),
    ("aten.group_norm", "cpu", {"input": BF16, "weight": FLOAT, "bias": FLOAT}),
    ("aten.batch_norm", "cuda:0",
     {"input": HALF, "weight": FLOAT, "bias": FLOAT, "running_mean": FLOAT, "running_var": FLOAT}),
    ("aten.batch_norm", "cpu",
     {"input": BF16, "weight": FLOAT, "bias": FLOAT, "running_mean": FLOAT, "running_var": FLOAT}),
    ("aten.rms_norm", "cuda:0", {"input": HALF, "weight": FLOAT}),
    ("aten.scaled_dot_product_attention", "cuda:0", {"query": HALF, "key": HALF, "value": HALF, "attn_mask": BOOL}),
    ("aten.scaled_dot_product_attention", "cpu", {"query": HALF, "key": HALF, "value": HALF, "attn_mask": FLOAT}),
    ("aten.embedding", "cuda:0", {"weight": HALF, "indices": INT}),
    ("aten.index_put_", "cuda:0", {"self": HALF, "indices": [BOOL], "values": (FLOAT, 0)}),
    ("aten.inner", "cpu", {"self": HALF, "other": (FLOAT, 0)}),
    ("aten.cross_entropy_loss", "cuda:0", {"self": (HALF, 2), "target": LONG}),
    ("aten.cross_entropy_loss", "cuda:0", {"self": (HALF, 2), "target": (FLOAT, 2)}),
    ("aten.mse_loss", "cuda:0", {"self": HALF, "target": FLOAT}),
    ("aten.cat", "cuda:0", {"tensors": [HALF, FLOAT]}),
    ("aten.where.self", "cuda:0", {"condition": BOOL, "self": HALF, "other": FLOAT}),
    ("aten.add_.Tensor", "cuda:0", {"self": HALF, "other": FLOAT}),
    ("aten.add_.Tensor", "cuda:0", {"self": LONG, "other": INT}),
    ("aten.div.Tensor", "cuda:0", {"self": LONG, "other": INT}),
    ("aten.eq_.Tensor", "cpu", {"self": LONG, "other": FLOAT}),
    ("aten.copy_", "cuda:0", {"self": HALF, "src": (FLOAT, 1, "cpu")}),
    ("aten._foreach_lerp_.Scalar", "cuda:0", {"self": [HALF, FLOAT], "tensors1": [HALF, FLOAT]}),
    ("aten._foreach_mul_.Tensor", "cuda:0", {"self": [HALF, (HALF, 1, "cuda:1")], "other": (FLOAT, 0, "cpu")}),
    ("aten._amp_foreach_non_finite_check_and_unscale_", "cuda:0",
     {"self": [HALF, FLOAT], "found_inf": (FLOAT, 0), "inv_scale": (FLOAT, 0)}),
]  # fmt: skip


@sweep(("op", "device", "named"), IN_ORDER)
def test_what_torch_runs_is_not_reported(op, device, named):
    assert call_of(op, device, named) == ()


KINDS = [
    ("aten.add_.Tensor", {"self": LONG, "other": FLOAT}, "other", FLOAT, "result type Float", "Long"),
    ("aten.div_.Tensor", {"self": LONG, "other": LONG}, None, FLOAT, "result type Float", "Long"),
    ("aten.exp_", {"self": LONG}, None, FLOAT, "result type Float", "Long"),
    ("aten.mul_.Tensor", {"self": FLOAT, "other": "complex64"}, "other", "complex64",
     "result type ComplexFloat", "Float"),
    ("aten.binary_cross_entropy_with_logits", {"self": FLOAT, "target": LONG}, "self", FLOAT,
     "result type Float", "Long"),
    ("aten.add.out", {"self": FLOAT, "other": HALF, "out": LONG}, "self", FLOAT, "result type Float", "Long"),
]  # fmt: skip


@pytest.mark.parametrize(("op", "named", "like", "expected", "result", "into"), KINDS)
def test_a_result_that_its_tensor_cannot_hold(op, named, like, expected, result, into):
    (violation,) = call_of(op, "cuda:0", named)
    assert (violation.kind, violation.like, violation.expected) == ("kind", like, expected)
    assert violation.odd[0] in ("self", "out", "target")
    assert violation.error == f"{result} can't be cast to the desired output type {into}"


def test_a_python_number_takes_part_in_promotion():
    half = Input(name="other", dtype=FLOAT, device="meta", dim=-1)
    whole = Input(name="self", dtype=LONG, device="cpu", dim=2)
    (violation,) = judge(pointwise_contract("aten.add_.Scalar"), [whole, half])
    assert (violation.kind, violation.odd, violation.like) == ("kind", ("self",), None)


def test_an_op_without_a_kernel_for_the_dtype():
    (violation,) = call_of("aten.layer_norm", "cpu", {"input": LONG, "weight": LONG})
    assert (violation.kind, violation.odd, violation.expected) == ("unsupported", ("weight",), FLOAT)
    assert violation.error == "\"LayerNormKernelImpl\" not implemented for 'Long'"


CUDA, CPU = (HALF, 2), (HALF, 2, "cpu")
DEVICES = [
    # op, operands on cuda:0 unless said, odd, like, error
    ("aten.linear", {"input": CPU, "weight": CUDA}, ("input",), "weight",
     "Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!"),
    ("aten.linear", {"input": CUDA, "weight": CPU, "bias": CPU}, ("input",), "weight",
     "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"),
    ("aten.linear", {"input": CUDA, "weight": (HALF, 2, "cuda:1")}, ("input",), "weight",
     "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!"),
    ("aten.conv2d", {"input": CPU, "weight": CUDA}, ("input",), "weight",
     "Input type (torch.HalfTensor) and weight type (torch.cuda.HalfTensor) should be the same"),
    ("aten.add.Tensor", {"self": CPU, "other": CUDA}, ("self",), "other",
     "Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!"),
    ("aten.add_.Tensor", {"self": CPU, "other": CUDA}, ("other",), "self", None),
    ("aten.add_.Tensor", {"self": (HALF, 0, "cpu"), "other": CUDA}, ("other",), "self", None),
    ("aten.add.Tensor", {"self": CPU, "other": (HALF, 0, "cuda:0")}, ("self",), "other", None),
    ("aten.index.Tensor", {"self": CPU, "indices": [(LONG, 1, "cuda:0")]}, ("indices[0]",), "self",
     "indices should be either on cpu or on the same device as the indexed tensor (cpu)"),
    ("aten._pack_padded_sequence", {"input": CUDA, "lengths": (LONG, 1, "cuda:0")}, ("lengths",), None,
     "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor"),
]  # fmt: skip


@sweep(("op", "named", "odd", "like", "error"), DEVICES)
def test_an_operand_on_another_device_is_named(op, named, odd, like, error):
    (violation,) = call_of(op, "cuda:0", named)
    assert (violation.kind, violation.odd, violation.like) == ("device", odd, like)
    assert violation.error == error or error is None


DEVICE = re.compile(r"\bcpu\b|\bcuda:\d")
TYPE = re.compile(r"torch\.(?:cuda\.)?\w+Tensor")
OF_OPERAND = re.compile(r"(\w+)(?:\.device: | tensor at | on | is on )(cpu|cuda:\d)")
QUOTING = {
    op: one for op, some in contracts._by_op().items() for one in some if one.device_error and one.on != ("cpu",)
}


def placed(contract, odd):
    """Operands on two devices and on three, of which one is elsewhere than most."""
    texts = " ".join(contract.device_error)
    fields = [one for one in re.findall(r"{(\w+)", texts) if one not in ("odd", "like")]
    groups = [name.partition("@")[0] for group in contract.same for name in group]
    names = list(dict.fromkeys((*fields, *groups, *contract.only))) or [f"tensors[{n}]" for n in range(3)]
    names = ["self", *names] if len(names) == 1 else names
    dtypes = {name: (contract.only.get(name) or (HALF,))[0] for name in names}
    for elsewhere in ("cpu", "cuda:1"):
        for third in (None, *names):
            devices = dict.fromkeys(names, "cuda:0") | ({third: "cuda:2"} if third else {})
            devices[names[odd % len(names)]] = elsewhere
            yield [Input(name=one, dtype=dtypes[one], device=devices[one], dim=2) for one in names]


@sweep("op", QUOTING)
def test_a_quotation_names_devices_that_differ_and_where_operands_are(op):
    quoted = 0
    for odd in range(6):
        for inputs in placed(QUOTING[op], odd):
            for error in (one.error for one in judge(QUOTING[op], inputs) if one.kind == "device"):
                text = error.replace("either on cpu or ", "")  # of every index, wherever it is
                at = {one.name: one.device for one in inputs}
                quoted += 1
                for spoken in (DEVICE.findall(text), TYPE.findall(text)):
                    assert len(spoken) < 2 or len(set(spoken)) > 1, text
                assert set(DEVICE.findall(text)) <= {*at.values()}, text
                assert [said for said in OF_OPERAND.findall(text) if at.get(said[0], said[1]) != said[1]] == [], text
    assert quoted


@pytest.mark.parametrize(
    ("op", "named"),
    [
        ("aten.add.Tensor", {"self": CUDA, "other": (HALF, 0, "cpu")}),
        ("aten.linear", {"input": (HALF, 2, "meta"), "weight": CUDA}),
        ("aten.index.Tensor", {"self": CUDA, "indices": [(LONG, 1, "cpu")]}),
        ("aten._pack_padded_sequence", {"input": CUDA, "lengths": (LONG, 1, "cpu")}),
        ("aten.type_as", {"self": CUDA, "other": CPU}),
    ],
)
def test_operands_that_may_be_elsewhere(op, named):
    assert call_of(op, "cuda:0", named) == ()


def test_without_a_contract_only_the_device_counts():
    assert judge(None, operands("cuda:0", a=HALF, b=FLOAT)) == ()
    (violation,) = judge(None, operands("cuda:0", a=HALF, b=(FLOAT, 1, "cpu")))
    assert (violation.kind, violation.odd, violation.expected) == ("device", ("b",), "cuda:0")


def test_the_longer_name_wins_and_versions_count():
    assert contracts_for("aten.mm.dtype", "cuda", TORCH) is not contracts_for("aten.mm", "cuda", TORCH)
    old = judge(contracts_for("aten.nll_loss_nd", "cuda", (2, 9)), operands("cuda:0", self=(FLOAT, 2), target=INT))
    assert old[0].error == "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Int'"
    assert contracts_for("aten.no_such_op", "cuda", TORCH) is None


def test_a_contract_speaks_for_its_devices_and_versions():
    contract = Contract(ops=("aten.mm",), on=("cpu",), since=(2, 6), until=(2, 9))
    assert contract.holds("cpu", (2, 6))
    assert not contract.holds("cuda", (2, 6))
    assert not contract.holds("cpu", (2, 9))
