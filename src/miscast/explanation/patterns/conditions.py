"""Conditions of C++ that a check prints where they do not hold: of a dtype, of a device."""

from ..pattern import OpClue, Pattern

_TYPE = "[scalar_type()|scalarType()|dtype()]"
_FAILED = "[| INTERNAL] ASSERT FAILED"

PATTERNS = (
    Pattern(
        name="dtype-asserted-in-cpp", category="dtype-mismatch", library="an extension",
        texts=(
            f"{_TYPE} == {{expected}}{_FAILED}",
            f"{_TYPE} == {{expected}} [to be true|failed|is false|(false)|) is false|` failed]",
            "Expected {...}[scalar_type()|dtype()|_type|_dtype] == {...} to be true, but got false",
            f"{_TYPE} == {{other:name}}.[scalar_type()|scalarType()|dtype()]{_FAILED}",
            f"[Assertion|Check failed|Check failed:|CHECK failed|assertion]{{...}}{_TYPE} == {{expected}}",
            f"[Assertion|Check failed|Check failed:|CHECK failed|assertion]{{...}}{_TYPE} == {{other:name}}.[scalar_type()|dtype()]",
        ),
        examples=(
            "RuntimeError: Check failed: x.scalar_type() == at::kHalf",
            "RuntimeError: q.dtype() == k.dtype() INTERNAL ASSERT FAILED",
        ),
    ),
    Pattern(
        name="kernel-casts-on-the-way", category="dtype-mismatch",
        texts=("needs_dynamic_casting<func_t>::check(iter) INTERNAL ASSERT FAILED",), op_clues=(OpClue(place="calls"),),
        implies=("kernel-accepts-one-dtype",),
    ),
    Pattern(
        name="device-asserted-in-cpp", category="device-mismatch", library="an extension",
        texts=(
            f"device().type() == {{...}}{_FAILED}",
            f"device() == {{...}}device(){_FAILED}",
            f"is_cuda(){_FAILED}",
            "[Assertion|Check failed|Check failed:|CHECK failed|assertion]{...}[.is_cuda()|.device().is_cuda()]",
        ),
        implies=("input-left-on-cpu",),
        examples=(
            (
                "RuntimeError: tensor.device().type() == at::DeviceType::PrivateUse1 INTERNAL ASSERT FAILED at "
                '"DMLTensor.cpp":30, please report a bug to PyTorch. unbox expects Dml at::Tensor as inputs'
            ),
        ),
    ),
)
