"""What compilers and runtimes of boards and other processors say: RKNN, Tenstorrent, MIGraphX, Vulkan, WebGPU."""

from __future__ import annotations

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="board-lacks-dtype",
        category="unsupported-dtype",
        texts=(
            "Not support input data type '{found}'",
            "RKNN: {...}Not Support Dtype",
            "Invalid w_par['dtype'] = {found}",
            "RKNN: {...}Unsupported input type {n:int} pack to output type",
            "RKNN: {...}Unsupport type bits",
            "RKNN: {...}{op:name} Not Support {...}->",
            "not support quantized_dtype: {...}",
            "The quantized_dtype = {...} is not supported in",
        ),
        library="rknn",
        implies=("graph-dtype-refused",),
        examples=("E build: Not support input data type 'float64'!", "E RKNN: [16:36:41.029] Not Support Dtype: 2. please check precision!"),
    ),
    Pattern(
        name="board-wants-dtype",
        category="dtype-mismatch",
        texts=(
            "tensor type must be: {expected}, but is: {found}",
            "Input format or type error: expect {...},{expected}, but actual {...},{found}",
        ),
        op="method input",
        library="rknn",
        implies=("graph-types-differ",),
        examples=("E RKNN: rknn_set_io_mem, input(x) tensor type must be: INT8, but is: UINT8",),
    ),
    Pattern(
        name="tile-dtypes-differ",
        category="dtype-mismatch",
        texts=(
            "TT_FATAL {...}[get_dtype|dtype]() == {...}[get_dtype|dtype]()",
            "{op:name}: Types do not match",
            "check_shapes.hpp{...}: Types do not match",
        ),
        library="ttnn",
        unless=("exception:typesdonotmatch", "error:typesdonotmatch"),
        implies=("graph-types-differ",),
        examples=(
            "TT_FATAL @ bcast_op.cpp:92: a.get_dtype() == b.get_dtype()",
            "RuntimeError: /src/include/migraphx/check_shapes.hpp:220: same_type: add: Types do not match",
        ),
    ),
    Pattern(
        name="tile-lacks-dtype",
        category="unsupported-dtype",
        texts=(
            "TT_FATAL {...}[get_dtype()|dtype] == [|tt::tt_metal::]DataType::{expected}",
            "TT_FATAL {...}[get_dtype()|dtype] == [|tt::tt_metal::]DataType::",
        ),
        library="ttnn",
        implies=("graph-dtype-refused",),
        examples=("TT_FATAL @ topk_op.cpp:40: input_tensor_dtype == DataType::BFLOAT16 || input_tensor_dtype == DataType::BFLOAT8_B",),
    ),
    Pattern(
        name="shader-lacks-dtype",
        category="unsupported-dtype",
        texts=(
            "no corresponding format for dtype",
            "requires WebGPU extension shader-f16",
            "'f16' type used without 'f16' extension enabled",
            "unknown type name 'bfloat'; did you mean 'float'",
        ),
        op="a compiled kernel",
        library="webgpu",
        implies=("hardware-lacks-dtype",),
        examples=("Error while parsing WGSL: 'f16' type used without 'f16' extension enabled",),
    ),
)
