"""Huawei Ascend, by the torch_npu plug-in: device type `npu`, which torch itself does not know."""

from .machine import Machine

_FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
_CAST = "aclnnCast's dtype list, printed in LlamaFactory#4165: no float8; DeepSeek-V3#903: FP8 is not supported"

# fmt: off
MACHINES = (
    Machine(
        name="ascend910b", title="Ascend910B2", device="npu", aliases=("910b", "ascend-910b", "npu"),
        memory=62_433 << 20, processors=24, native=("float16", "bfloat16", "float32", "int8"),
        storage=("float64",), missing=("tf32", *_FLOAT8),
        sources={
            "memory": "60.97 GiB 'total capacity' of torch_npu's out-of-memory errors (CogVideo#63); 64 GB variant",
            "processors": "AI (cube) cores of the 910B2, CANN documentation; other variants have 20 to 25",
            "native": "CANN aclnnMm: FLOAT, FLOAT16, BFLOAT16; int8 by its quantized products",
            "bfloat16": "from the 910B on; the 910A has none (vllm-ascend#9294)",
            "float64": "aclnnCast lists DT_DOUBLE (LlamaFactory#4165), CANN aclnnMm does not",
            "tf32": "Ascend's own switch is HF32; allow_tf32 has no effect",
            **dict.fromkeys(_FLOAT8, _CAST),
        },
    ),
)
# fmt: on
