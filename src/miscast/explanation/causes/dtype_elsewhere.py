"""Causes of dtype mismatches in backward, stored weights, custom kernels and a model's inputs."""

from ..cause import Cause, Clue
from .support import CACHE

CAUSES = (
    Cause(
        name="gradient-dtype", weight=0.45,
        text="in the backward pass, a gradient has another dtype than its tensor: the loss or an output was cast, or targets (float64 or half precision) changed the dtype of the loss",
        needs=("dtype-mismatch", "backward|pattern:assigned-gradient-dtype"),
        clues=(
            Clue(weight=0.2, facts=("pattern:found-dtype-in-backward",), says="raised in the backward pass"),
            Clue(weight=0.1, words=("autocast", "checkpoint", "lora")),
            Clue(weight=-0.3, facts=("has:float64",)),
        ),
        help=(
            "compute the loss in the dtype of the prediction: loss_fn(pred, target.to(pred.dtype))",
            "or, with mixed precision, keep the weights in float32 and call backward outside autocast",
        ),
    ),
    Cause(
        name="recomputed-under-other-precision", weight=0.5,
        text="backward recomputes a checkpointed part in another precision than the forward pass: autocast was on in only one of them, or weights were cast in between",
        needs=("pattern:recomputed-dtype",),
        help=("enter autocast inside the checkpointed function, or around forward and backward; cast weights before the forward pass",),
    ),
    Cause(
        name="two-half-dtypes", weight=0.8,
        text="float16 and bfloat16 are mixed: weights were loaded in one, but autocast or the trainer uses the other",
        needs=("dtype-mismatch", "two-halves"),
        help=("choose one of them for torch_dtype, mixed_precision and autocast",),
    ),
    Cause(
        name="float8-weights-used-raw", weight=0.85,
        text="a float8 tensor is used without a cast: float8 has no type promotion and few kernels, so it must be cast to a compute dtype first",
        needs=("float8", "dtype-mismatch|unsupported-dtype"),
        clues=(
            Clue(weight=0.1, words=("comfy", "fp8", "custom_nodes")),
            Clue(
                weight=-0.7,
                facts=("pattern:triton-lacks-fp8|pattern:cache-dtype|pattern:gpu-library-lacks-dtype|pattern:mps-lacks-dtype|pattern:scaled-mm-dtype",),
            ),
            Clue(weight=-0.7, facts=("pattern:mlir-operand-type|pattern:dtype-no-key",)),
            Clue(weight=-0.7, facts=("op:_scaled_mm|op:scaled_mm",)),
        ),
        help=("cast before use: x.to(torch.bfloat16), or load this part in a 16-bit dtype",),
    ),
    Cause(
        name="quantized-weight-used-raw", weight=0.45,
        text="packed quantized weights (uint8, int8) reach an op that needs dequantized weights",
        needs=("dtype-mismatch", "quantized-storage"),
        clues=(
            Clue(weight=0.4, words=("bitsandbytes", "quant", "4bit", "8bit", "gguf")),
            Clue(weight=0.3, facts=("weight:uint8|weight:int8",), says="the weight is stored as bytes"),
            Clue(weight=-0.3, facts=("op:conv2d", "activation:uint8")),
            Clue(weight=-0.7, facts=("expected:uint8|expected:int8",)),
            Clue(weight=-0.7, words=CACHE),
        ),
        help=("keep this module out of quantization (llm_int8_skip_modules), or call the module, not F.linear",),
    ),
    Cause(
        name="image-not-converted", weight=0.3,
        text="pixels or other bytes (uint8) reach a layer unconverted, but layers need floating-point inputs",
        needs=("dtype-mismatch", "has:uint8", "op:conv2d|op:conv1d|op:conv3d|op:linear|op:batch_norm"),
        clues=(
            Clue(weight=0.4, facts=("op:conv2d|op:conv1d|op:conv3d",), says="a convolution of uint8 input"),
            Clue(weight=-0.7, facts=("weight:uint8",)),
        ),
        help=("convert where the image becomes a tensor: x.to(weight.dtype) / 255",),
    ),
    Cause(
        name="integer-beside-float", weight=0.2,
        text="an integer tensor is passed where a floating-point one is expected, or vice versa",
        needs=("dtype-mismatch", "integers"), help=("cast the wrong one: x.float(), or x.long()",),
    ),
    Cause(
        name="integer-parameter", weight=0.5,
        text="an integer tensor (quantized storage, indices) was made a parameter, or requires gradients",
        needs=(
            "dtype-mismatch|unsupported-dtype|distributed-dtype",
            "op:requires_grad|op:tensor.data|op:finfo|pattern:requires-grad-dtype|pattern:data-set-dtype|pattern:finfo-of-integers",
        ),
        clues=(Clue(weight=0.1, words=("quant", "bitsandbytes", "bnb", "gptq")),),
        help=(
            (
                "nn.Parameter(x, requires_grad=False) for integers, or register_buffer; for FSDP with 4-bit weights set "
                "bnb_4bit_quant_storage to the floating dtype"
            ),
        ),
    ),
    Cause(
        name="graph-types-differ", weight=0.45,
        text="the exported graph or its inputs mix dtypes: it was partly converted to half precision, exported under autocast, or gets inputs of another dtype than it was exported with",
        needs=("pattern:onnx-type|pattern:engine-input-type|pattern:executorch-type|pattern:exported-types-differ|pattern:openvino-type|pattern:coreml-type|pattern:tvm-type|pattern:mlir-elements-differ",),
        help=("pass inputs in the dtype of the graph's inputs; export the model in one dtype, outside autocast",),
    ),
    Cause(
        name="mean-needs-floats", weight=0.9, text="the mean of an integer or bool tensor needs a floating-point dtype",
        needs=("pattern:mean-of-integers",), help=("cast first: x.float().mean(), or x.mean(dtype=torch.float32)",),
    ),
    Cause(
        name="cat-does-not-promote", weight=0.6,
        text="tensors of different dtypes are concatenated, and cat does not promote in this version of torch",
        needs=("op:cat", "dtype-mismatch|distributed-dtype"),
        help=("cast them to one dtype before torch.cat, or use torch 1.5 or newer",),
    ),
    Cause(
        name="average-dtype", weight=0.6,
        text="a moving average or optimizer state has another dtype than the parameters: it was created before the model was cast, or intentionally in float32",
        needs=("dtype-mismatch|distributed-dtype", "op:lerp_|op:optimizer.step|pattern:optimizer-state-dtype"),
        clues=(Clue(weight=0.1, words=("ema", "optim")),),
        help=("cast in the average: ema.lerp_(param.to(ema.dtype), w); create the optimizer after casting the model",),
    ),
    Cause(
        name="optimizer-state-dtype", weight=0.35,
        text="gradients and optimizer state have different dtypes: the model was cast after the optimizer was created, or training resumed from a checkpoint in another precision",
        needs=("dtype-mismatch|distributed-dtype", "op:optimizer.step|op:optimizer"),
        help=("cast the model before creating the optimizer",),
    ),
    Cause(
        name="bytes-expected", weight=0.0,
        text="this op expects float8 and packed low-bit data as raw bytes (uint8), but gets the original dtype",
        needs=("dtype-mismatch", "expected:uint8"),
        clues=(Clue(weight=0.8, words=("kv_cache", "kv-cache", "_cache ", "fp8", "float8", "fp4", "quant", "packed")),),
        help=("reinterpret instead of converting: x.view(torch.uint8), as the cache or the packing function does",),
    ),
    Cause(
        name="kernel-accepts-one-dtype", weight=0.6,
        text="a custom kernel or check accepts only one dtype and gets another",
        needs=(
            "dtype-mismatch|precision-config|unsupported-dtype",
            "pattern:dtype-demanded|pattern:asserted-dtype|pattern:int8-weight-dtype|pattern:triton-dot-dtype|pattern:mlir-types-differ|pattern:triton-variable-changes|pattern:matmul-out-dtype|pattern:optimizer-only-dtype|pattern:scaled-mm-dtype|pattern:dtype-wanted|pattern:some-dtype-demanded|pattern:dtype-asserted-in-cpp",
        ),
        clues=(Clue(weight=-0.4, facts=("pattern:dtype-wanted|pattern:some-dtype-demanded", "several-dtypes")),),
        help=("cast to the dtype the kernel expects right before the call",),
    ),
    Cause(
        name="cpu-norm-parameters", weight=0.75,
        text="on the CPU, a norm with half-precision input needs parameters in float32 or in the input's dtype, and these have another one. Often the GPU is not used at all",
        needs=("pattern:cpu-mixed-dtype",),
        help=("use float32 on the CPU, or convert the whole model with .to(dtype); check torch.cuda.is_available()",),
    ),
    Cause(
        name="extension-under-autocast", weight=0.4,
        text="a custom op gets one tensor that autocast converted to half precision and one that is still float32",
        needs=("dtype-mismatch", "pattern:argument-types-differ"),
        clues=(
            Clue(weight=0.3, facts=("op:deform_conv",)),
            Clue(weight=0.1, words=("autocast", "amp")),
            Clue(weight=-0.3, facts=("backward",)),
        ),
        help=("decorate it with torch.amp.custom_fwd(cast_inputs=torch.float32), or cast its inputs to one dtype",),
    ),
)
