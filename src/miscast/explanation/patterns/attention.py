"""Scaled dot product attention, in torch and in the libraries that replace it."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="sdpa-dtype", category="dtype-mismatch", op="sdpa",
        texts=(
            "Expected query, key, and value to have the same dtype, but got query.dtype: {query}[,|] key.dtype: {key}[,|] and value.dtype: {value}",
            "Expected query, key, and value to have the same dtype, but got query.dtype: {query}",
            "Expected query, key, and value to have the same dtype",
            "got query.dtype: {query}[,|] key.dtype: {key}[,|] and value.dtype: {value}",
        ),
        raised_by="F.scaled_dot_product_attention(torch.ones(1, 2, 2), torch.ones(1, 2, 2).half(), torch.ones(1, 2, 2))",
    ),
    Pattern(
        name="sdpa-device", category="device-mismatch", op="sdpa",
        texts=(
            ("Expected query, key, and value to have the same device type, but got query.device: {query:device}[,|] "
             "key.device: {key:device}[,|] and value.device: {value:device}"),
        ),
        raised_by="F.scaled_dot_product_attention(torch.ones(1, 2, 2), torch.ones(1, 2, 2, device='meta'), "
        "torch.ones(1, 2, 2))",
    ),
    Pattern(
        name="fused-norm-types", category="dtype-mismatch", op="layer_norm", library="flash_attn",
        texts=("Unsupported hidden_size or types: {n:int}{input}{weight}",), implies=("weights-left-in-other-dtype",),
    ),
    Pattern(
        name="sdpa-mask-dtype", category="dtype-mismatch", op="sdpa",
        texts=(
            "invalid dtype for bias - should match query's dtype",
            ("Expected attn_mask dtype to be bool [or float |]or to match query dtype, but got attn_mask.dtype: "
             "{attn_mask}[| and query.dtype: {query}]"),
        ),
        raised_by="F.scaled_dot_product_attention(*[torch.ones(1, 2, 2)] * 3, attn_mask=torch.ones(2, 2).long())",
    ),
    Pattern(
        name="sdpa-backends-refuse", category="unsupported-dtype", op="sdpa",
        texts=("No available kernel[.|. Aborting execution]",), implies=("sdpa-backend-refused",),
    ),
    Pattern(
        name="sdpa-no-kernel", category="unsupported-dtype", op="sdpa", texts=("cutlassF: no kernel found to launch",),
        implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="mha-mask-dtype", category="dtype-mismatch", op="multi_head_attention",
        texts=("only bool and floating types of {arg:name} are supported",),
        raised_by="torch.nn.MultiheadAttention(2, 1)(*[torch.ones(2, 2)] * 3, attn_mask=torch.ones(2, 2).long())",
    ),
    Pattern(
        name="xformers-dtype", category="dtype-mismatch", op="memory_efficient_attention", library="xformers",
        texts=(
            "Query/Key/Value should [all|either all] have the same dtype[|{...}query.dtype: {query}{...}key.dtype: {key}{...}value.dtype: {value}]",
        ),
        implies=("autocast-does-not-cover",),
    ),
    Pattern(
        name="flash-attention-model-on-cpu", category="device-mismatch", op="flash_attn", library="transformers",
        texts=("You are attempting to use Flash Attention {...} with a model not initialized on GPU",),
        operands=(("model", "", "cpu"),), implies=("model-left-on-cpu",),
    ),
    Pattern(
        name="xformers-no-operator", category="unsupported-dtype", op="memory_efficient_attention", library="xformers",
        texts=(
            ("No operator found for [memory_efficient_attention_forward|memory_efficient_attention_backward|this "
             "attention] {...}{query}{...}dtype={found} (supported: {expected}"),
        ),
    ),
    Pattern(
        name="attention-mask-converted", category="dtype-mismatch", op="multi_head_attention",
        texts=("Converting mask without torch.bool dtype to bool",), operands=(("expected", "bool", ""),),
        implies=("mask-dtype",),
    ),
    Pattern(
        name="xformers-bf16-capability", category="unsupported-dtype", op="memory_efficient_attention",
        library="xformers", texts=("bf16 is only supported on A100+ GPUs",), operands=(("query", "bfloat16", "cuda"),),
        implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="flash-attention-dtype", category="dtype-mismatch", op="flash_attn",
        library="flash_attn",
        texts=(
            "FlashAttention only support[s|] fp16[, and| and| or|,] bf16[| data type]",
            "Expected q_dtype == torch::k[Float16|BFloat16]",
        ),
        implies=("flash-attention-needs-half",),
        # Told of by hand, from the prompt: there it also stands for a build that does not fit this torch.
        unless_from=("<stdin>", "<string>"),
    ),
    Pattern(
        name="tensors-of-one-dtype", category="dtype-mismatch", library="",
        texts=("All tensors must have the same dtype.",),
        usual_op=(OpClue(op="sageattn"),),  # its own words; others' frames tell otherwise
        implies=("weights-left-in-other-dtype",),
    ),
    Pattern(
        name="sage-attention-dtype", category="unsupported-dtype", op="sageattn", library="sageattention",
        texts=("Input tensors must be in dtype of torch.float16 or torch.bfloat16",),
        implies=("flash-attention-needs-half",),
    ),
)
