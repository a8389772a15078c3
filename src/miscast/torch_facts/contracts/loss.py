"""Losses and their targets: class indices are int64, floating targets follow the prediction where torch insists."""

from .contract import FLOATING, FLOATS, FULL, INDEX, INTEGERS, LONG, Contract

_MEASURED = "measured on CPU, torch 2.13"
_CLASSES = ("int64", "uint8")
_TARGET = "expected target dtype to be Long or Byte, but got {odd}"
_FOUND = "Found dtype {odd} but expected {like}"
_NLL = ("aten.nll_loss", "aten.nll_loss_nd", "aten.nll_loss_forward", "aten.nll_loss2d", "aten.nll_loss2d_forward")
_NLL_BACKWARD = ("aten.nll_loss_backward", "aten.nll_loss2d_backward")
_NLL_KERNEL = "\"nll_loss_out_frame\" not implemented for '{odd}'"
_BEFORE_2_13 = "expected scalar type Long but found {odd}"
_CUDA_BEFORE_2_13 = "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for '{odd}'"
_FLOATING = tuple(sorted(FLOATING))

CONTRACTS = (
    Contract(
        ops=("aten.cross_entropy_loss",), classes=("target", "self"), same=(("self", "weight"),), kernels=FLOATS,
        since=(2, 13),
        errors={("target",): _TARGET, ("kernels",): "\"log_softmax_lastdim_kernel_impl\" not implemented for '{odd}'"},
        source=f"{_MEASURED}; ATen/native/LossNLL.cpp cross_entropy_loss_symint",
    ),
    Contract(
        ops=("aten.cross_entropy_loss",), classes=("target", "self"), same=(("self", "weight"),), kernels=FLOATS,
        until=(2, 13), on=("cpu",),
        errors={
            ("target",): _BEFORE_2_13,
            ("kernels",): "\"log_softmax_lastdim_kernel_impl\" not implemented for '{odd}'",
        },
        source="ATen/native/LossNLL.cpp nll_loss_out_frame, torch 2.12",
    ),
    Contract(
        ops=("aten.cross_entropy_loss",), classes=("target", "self"), same=(("self", "weight"),), kernels=FLOATS,
        until=(2, 13), errors={("target",): _CUDA_BEFORE_2_13},
        source="ATen/native/cuda/Loss.cu AT_DISPATCH_NLL_LOSS_INDEX_TYPES, torch 2.12",
    ),
    Contract(
        ops=_NLL, same=(("self", "weight"),), only={"target": _CLASSES}, kernels=FLOATS, since=(2, 13),
        errors={("target",): _TARGET, ("kernels",): _NLL_KERNEL},
        source=f"{_MEASURED}; ATen/native/LossNLL.cpp TORCH_META_FUNC(nll_loss_forward)",
    ),
    Contract(
        ops=_NLL, same=(("self", "weight"),), only={"target": _CLASSES}, kernels=FLOATS, until=(2, 13), on=("cpu",),
        errors={("target",): _BEFORE_2_13, ("kernels",): _NLL_KERNEL},
        source="ATen/native/LossNLL.cpp nll_loss_out_frame, torch 2.12",
    ),
    Contract(
        ops=_NLL, same=(("self", "weight"),), only={"target": _CLASSES}, kernels=FLOATS, until=(2, 13),
        errors={("target",): _CUDA_BEFORE_2_13, ("kernels",): _NLL_KERNEL},
        source="ATen/native/cuda/Loss.cu AT_DISPATCH_NLL_LOSS_INDEX_TYPES, torch 2.12",
    ),
    Contract(
        ops=_NLL_BACKWARD, same=(("self", "weight", "grad_output"), ("grad_output@0", "total_weight")),
        only={"target": _CLASSES}, kernels=FLOATS,
        errors={("kernels",): "\"nll_loss_backward_out_frame\" not implemented for '{odd}'"}, source=_MEASURED,
    ),
    Contract(
        ops=("aten.binary_cross_entropy",), same=(("self", "target"),), error=_FOUND,
        source=f"{_MEASURED}; ATen/native/Loss.cpp binary_cross_entropy_out_cpu: TensorIterator of one dtype",
    ),
    Contract(
        ops=("aten.binary_cross_entropy_backward",), same=(("grad_output", "self", "target"),), error=_FOUND,
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.binary_cross_entropy_with_logits",), promotes=True, into="target", kernels=FLOATS,
        errors={("kernels",): "\"log_sigmoid_cpu\" not implemented for '{odd}'"},
        source=f"{_MEASURED}; ATen/native/Loss.cpp: the loss is computed into the target's dtype",
    ),
    Contract(
        ops=("aten.mse_loss", "aten.l1_loss", "aten.smooth_l1_loss", "aten.poisson_nll_loss"), promotes=True,
        source=_MEASURED,
    ),
    Contract(
        ops=(
            "aten.huber_loss", "aten.soft_margin_loss", "aten.mse_loss_backward",
            "aten.smooth_l1_loss_backward", "aten.soft_margin_loss_backward",
        ),
        promotes=True, into="self", source=_MEASURED,
    ),
    Contract(
        ops=("aten.huber_loss_backward",), same=(("self", "target", "grad_output"),), error=_FOUND, source=_MEASURED,
    ),
    Contract(
        ops=("aten.kl_div",), only={"self": _FLOATING, "target": _FLOATING}, promotes=True,
        errors={
            ("self",): "kl_div: Integral inputs not supported.",
            ("target",): "kl_div: Integral inputs not supported.",
        },
        source=f"{_MEASURED}; ATen/native/Loss.cpp kl_div",
    ),
    Contract(
        ops=(
            "aten.hinge_embedding_loss",
            "aten.cosine_embedding_loss",
            "aten.margin_ranking_loss",
            "aten.triplet_margin_loss",
        ),
        promotes=True, source=_MEASURED,
    ),
    Contract(
        ops=("aten.multi_margin_loss", "aten.multi_margin_loss_backward"), same=(("self", "weight", "grad_output"),),
        only={"target": LONG}, kernels=FULL, on=("cpu",),
        errors={("kernels",): "\"multi_margin_loss_cpu_kernel\" not implemented for '{odd}'"}, source=_MEASURED,
    ),
    Contract(
        ops=("aten.multi_margin_loss", "aten.multi_margin_loss_backward"), same=(("self", "weight", "grad_output"),),
        only={"target": LONG}, kernels=FLOATS,
        source="ATen/native/cuda/MultiMarginLoss.cu AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16)",
    ),
    Contract(
        ops=(
            "aten.multilabel_margin_loss",
            "aten.multilabel_margin_loss_forward",
            "aten.multilabel_margin_loss_backward",
        ),
        same=(("self", "grad_output", "is_target"),), only={"target": LONG}, kernels=FULL, on=("cpu",),
        errors={("kernels",): "\"multilabel_margin_loss_forward_out_frame\" not implemented for '{odd}'"},
        source=_MEASURED,
    ),
    Contract(
        ops=(
            "aten.multilabel_margin_loss",
            "aten.multilabel_margin_loss_forward",
            "aten.multilabel_margin_loss_backward",
        ),
        same=(("self", "grad_output", "is_target"),), only={"target": LONG}, kernels=FLOATS,
        source="ATen/native/cuda/MultiLabelMarginCriterion.cu",
    ),
    Contract(
        ops=("aten.ctc_loss", "aten._ctc_loss"), same=(("log_probs",),),
        only={"input_lengths": INTEGERS, "target_lengths": INTEGERS}, any_device=("input_lengths", "target_lengths"),
        kernels=FULL,
        errors={
            ("kernels",): "\"ctc_loss_cpu\" not implemented for '{odd}'",
            ("input_lengths",): "input_lengths must be integral",
            ("target_lengths",): "target_lengths must be integral",
        },
        source=f"{_MEASURED}; ATen/native/LossCTC.cpp ctc_loss",
    ),
    Contract(
        ops=("aten._ctc_loss_backward",), same=(("log_probs", "grad", "neg_log_likelihood", "log_alpha"),),
        only={"targets": INDEX}, kernels=FULL, source=_MEASURED,
    ),
)
