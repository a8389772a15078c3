"""The backward pass, the optimizer and the grad scaler."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="backward", functions="backward _engine_run_backward", methods="backward", roles={"found": "gradient"}),
    Op(name="optimizer.step", ours=True, aliases="adam unfused_adam",
       begins="foreach_ multi_tensor_ fused_adam fused_sgd fused_adagrad"),
    Op(name="clip_grad_norm_", ours=True, aliases="multi_tensor_l2norm", functions="clip_grad_norm_"),
    Op(name="GradScaler", ours=True, file="amp/grad_scaler.py"),
    Op(name="GradScaler.unscale_", ours=True,
       aliases="amp_non_finite_check_and_unscale amp_foreach_non_finite_check_and_unscale"),
    Op(name="GradScaler.update", ours=True, aliases="amp_update_scale"),
)
