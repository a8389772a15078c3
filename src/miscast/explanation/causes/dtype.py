"""Causes of operands with different dtypes."""

from ..cause import Cause, Clue

_FLOATS = "half-with-float|two-halves|dtypes-unknown|float8"
CAUSES = (
    Cause(
        name="float-input-to-half-model", weight=0.35,
        text="the model's weights are {half}, but an input, mask or embedding of another dtype reaches {op}, and neither a cast nor autocast converts it to {half}",
        needs=("dtype-mismatch", "half-with-float|two-halves|dtypes-unknown"),
        clues=(
            Clue(weight=0.3, facts=("half-weight",), says="the weight is half precision, the input is not"),
            Clue(weight=0.15, facts=("expected:float16|expected:bfloat16",), says="a half-precision dtype was expected"),
            Clue(weight=-0.3, facts=("float-weight", "half-input")),
            Clue(weight=0.1, words=("time_embed", "timestep", "embeddings.py", "pos_embed", "rotary", "patch_embed")),
            Clue(weight=0.15, words=(".float()", "torch.float32", "dtype=torch.float", "upcast")),
            Clue(
                weight=-0.3, facts=("pattern:found-dtype-in-backward|pattern:optimizer-state-dtype|integers|backward",)
            ),
            Clue(weight=-0.5, facts=("pattern:assigned-gradient-dtype|op:lerp_|op:optimizer.step",)),
            Clue(weight=-0.15, words=("lora", "peft", "adapter")),
        ),
        help=(
            "cast the input to the weights' dtype just before the call: x.to(module.weight.dtype)",
            "run the forward pass under torch.autocast with the dtype of the model",
        ),
    ),
    Cause(
        name="weights-left-in-other-dtype", weight=0.25,
        text="part of the model has another dtype than its inputs, because it was loaded, added or cast separately",
        needs=("dtype-mismatch", "half-with-float|two-halves|dtypes-unknown|float8"),
        clues=(
            Clue(
                weight=0.4, facts=("float-weight", "half-input"), says="the input is half precision, the weight is not"
            ),
            Clue(weight=0.25, facts=("expected:float32",), says="float32 was expected but got half precision"),
            Clue(weight=0.25, facts=("dtypes-unknown",)),
            Clue(weight=0.1, words=("vae", "text_encoder", "clip", "controlnet", "vision", "ipadapter", "projector")),
            Clue(weight=-0.3, facts=("pattern:found-dtype-in-backward|pattern:optimizer-state-dtype|integers",)),
            Clue(weight=-0.2, facts=("backward",)),
        ),
        help=(
            "cast the module with the rest of the model: module.to(dtype) after it is loaded or added",
            "load all parts with one torch_dtype",
        ),
    ),
    Cause(
        name="adapter-dtype", weight=0.0,
        text="LoRA or other adapter weights have another dtype than the base model, and autocast is not on to convert them",
        needs=("dtype-mismatch", _FLOATS),
        clues=(
            Clue(
                weight=0.7,
                words=("lora", "peft", "ipadapter", "ip_adapter", "adapter", "dora", "lycoris", "networks.py"),
            ),
            Clue(weight=-0.4, facts=("op:conv2d",)),
            Clue(
                weight=0.3, facts=("pattern:self-mat2-dtype",), says="raised by a linear layer without bias, as in LoRA"
            ),
        ),
        help=("give the adapter the base model's dtype (model.to(dtype) after the adapter is added), or train it in float32 under torch.autocast",),
    ),
    Cause(
        name="autocast-missing", weight=0.15,
        text="the weights are intentionally float32 or mixed, but autocast is off here: mixed precision is not enabled, or this code runs outside the autocast region",
        needs=("dtype-mismatch", "half-with-float|two-halves|dtypes-unknown"),
        clues=(
            Clue(weight=0.25, facts=("validation",), says="raised in validation or inference"),
            Clue(weight=0.2, words=("trainer.py", "fit_loop", "training_step")),
            Clue(weight=0.2, words=("directml", "webui", "amdgpu", "privateuseone")),
            Clue(weight=-0.3, words=("autocast",)),
        ),
        help=("wrap the forward pass in torch.autocast(device_type, dtype=…), also in validation and sampling",),
    ),
    Cause(
        name="autocast-does-not-cover", weight=0.3,
        text="the op is not on autocast's list, so a float32 query (from a float32 layer or an adapter) stays float32 while keys and values are in half precision",
        needs=(
            "dtype-mismatch",
            "op:memory_efficient_attention|op:flash_attn|op:sdpa|op:deform_conv|op:tl.dot|op:grid_sample|op:roi_align|op:nms",
        ),
        clues=(
            Clue(weight=0.1, facts=("op:memory_efficient_attention",)),
            Clue(weight=0.2, facts=("op:grid_sample|op:roi_align|op:nms",)),
            Clue(weight=0.1, words=("autocast", "lora")),
        ),
        help=("cast q, k and v to one dtype right before the call: q.to(v.dtype), k.to(v.dtype)",),
    ),
    Cause(
        name="query-dtype-differs", weight=0.55,
        text="query and key/value were computed in different dtypes: a norm, rotary embedding or projection returns float32 on one side, or the cache holds another dtype",
        needs=("dtype-mismatch", "op:sdpa|op:memory_efficient_attention"),
        clues=(
            Clue(weight=0.1, words=("rotary", "rope", "cache", "norm")),
            Clue(weight=-0.5, facts=("has:int64",)),
            Clue(weight=-0.6, facts=("pattern:sdpa-mask-dtype",)),
        ),
        help=("cast query, key and value to one dtype before attention: query.to(value.dtype)",),
    ),
    Cause(
        name="flash-attention-needs-half", weight=-0.1,
        text="flash attention got float32: the model was loaded in float32, runs without mixed precision, or its input comes from a float32 norm or adapter",
        needs=("op:flash_attn|op:sdpa|op:memory_efficient_attention",),
        clues=(
            Clue(weight=0.3, facts=("op:flash_attn",)),
            Clue(weight=-0.7, words=("fp8 kv", "fp8_e5m2", "fp8_e4m3", "kv_cache_dtype", "kv-cache-dtype")),
        ),
        help=("load with torch_dtype=torch.bfloat16 (float16 before Ampere), or train with bf16 or fp16 enabled",),
    ),
    Cause(
        name="mask-dtype", weight=0.8,
        text="the attention mask has another dtype (int64 from the tokenizer, or float32 from a bias), but must be bool or have the query's dtype",
        needs=("pattern:sdpa-mask-dtype|pattern:mha-mask-dtype|pattern:masked-fill-mask|pattern:masked-select-mask|pattern:where-condition",),
        help=("make it bool: mask.bool(), or cast it: mask.to(query.dtype)",),
    ),
    Cause(
        name="float64-data", weight=0.75, text="the data is float64, the default of NumPy, but the model is float32",
        needs=("dtype-mismatch", "double-with-float|has:float64"),
        clues=(Clue(weight=0.1, words=("numpy", "from_numpy", "np.", "dataset", "reward", "pandas")),),
        help=("convert where the data becomes a tensor: torch.from_numpy(x).float(), or dtype=np.float32",),
    ),
    Cause(
        name="target-dtype", weight=0.1,
        text="the target has the wrong dtype for this loss: class indices must be int64; regression and probability targets must have the dtype of the prediction",
        needs=(
            "dtype-mismatch",
            "op:nll_loss|op:cross_entropy|op:mse_loss|op:cosine_embedding_loss|op:binary_cross_entropy|op:binary_cross_entropy_with_logits|op:l1_loss|pattern:found-dtype-in-backward|pattern:class-target-dtype|pattern:tensor-iterator-dtype",
        ),
        clues=(
            Clue(weight=0.6, facts=("integers",), says="an integer and a floating dtype are mixed, or int32 and int64"),
            Clue(weight=-0.35, facts=("half-with-float",)),
            Clue(weight=-0.3, facts=("has:int32", "has:int64")),
        ),
        help=("class indices: target.long(); regression and BCE: target.to(prediction.dtype)",),
    ),
    Cause(
        name="index-not-int64", weight=0.2,
        text="the indices or labels are not int64: NumPy's default integer on Windows is int32, and arithmetic or an empty list gives floats",
        needs=(
            "dtype-mismatch",
            "op:embedding|op:index|op:index_put_|op:nll_loss|op:cross_entropy|op:gather|op:scatter|op:one_hot|op:embedding_bag|op:nll_loss2d",
        ),
        clues=(
            Clue(weight=0.6, facts=("has:int32",), says="int32 is NumPy's integer on Windows"),
            Clue(
                weight=0.4,
                facts=(
                    "pattern:index-dtype|pattern:embedding-indices-type|pattern:index-argument-dtype|pattern:one-hot-dtype|pattern:numpy-bool-index",
                ),
            ),
            Clue(weight=-0.4, facts=("half-with-float",)),
        ),
        help=("convert them to int64 when creating the tensor: torch.as_tensor(x, dtype=torch.long), or x.long()",),
    ),
    Cause(
        name="destination-dtype", weight=0.65,
        text="the destination was created in one dtype (torch.zeros, the model's dtype, int64 labels), but the values written into it have another, often because of autocast",
        needs=(
            "dtype-mismatch",
            "op:index_put_|op:scatter|op:scatter_|op:index_add_|op:index_add|op:index_copy_|op:masked_scatter|op:scatter_reduce|op:scatter_cuda_|op:copy_|op:scatter_cuda",
        ),
        clues=(
            Clue(weight=-0.3, facts=("has:int32", "op:index_put_")),
            Clue(weight=-0.5, facts=("pattern:index-argument-dtype|pattern:index-dtype",)),
        ),
        help=("create it with the dtype of the values: torch.zeros(…, dtype=values.dtype), or write values.to(destination.dtype)",),
    ),
    Cause(
        name="integers-take-floats", weight=0.7,
        text="an in-place op would write floating-point results into an integer tensor, which torch no longer does silently",
        needs=("pattern:result-type-cast|pattern:clamp-result-type",),
        clues=(Clue(weight=0.15, words=("loss.py", "build_targets", "clamp_")),),
        help=("make the dtypes match first: clamp_(0, int(limit)), or compute in float and convert with .long()",),
    ),
)
