"""Errors of libraries that several systems run into, and the advice that goes with them."""

KEEP_ONE_HALF = (
    "keep bf16 on Ampere and later, fp16 on older GPUs; switch the other off"
)
FLASH_ATTENTION = (
    "ValueError or RuntimeError: FlashAttention only support fp16 and bf16 data type"
)
NO_FLOAT8_PRODUCTS = "AssertionError of TransformerEngine: Device compute capability 8.9 or higher required for FP8"
NO_FP8_BACKEND = "ValueError: Using `fp8` precision requires `transformer_engine` or `MS-AMP` to be installed."
UNSCALE = {
    "float16": "ValueError: Attempting to unscale FP16 gradients.",
    "bfloat16": "RuntimeError: \"_amp_foreach_non_finite_check_and_unscale_cuda\" not implemented for 'BFloat16'",
}
"""The errors of torch's grad scaler for gradients of a half dtype."""
SCALER = "torch/amp/grad_scaler.py _unscale_grads_, 2.13.0"
UNSCALED = "silent: small gradients underflow to zero, and training stalls"
"""The effect of float16 without a grad scaler."""
UNIFORM = (
    "ValueError: Must flatten tensors with uniform dtype but got torch.{} and torch.{}"
)
AVERAGE = "silent: the update of each step is rounded away"
"""The effect on a moving average in half precision."""
VAE = "silent: infinities in the VAE's activations; black images, NaN latents, also in the cache"
"""The effect of float16 on SDXL's VAE."""
