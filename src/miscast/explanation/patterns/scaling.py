"""Gradient scalers and loss scales."""

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="unscale-fp16-gradients", category="grad-scaler",
        texts=("[Attempting|Attemting|Attemping] to unscale FP16 gradients",), op="GradScaler.unscale_",
        operands=(("gradient", "float16", ""),), implies=("half-parameters-under-scaler",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True, dtype=torch.float16)\np.grad = torch.ones_like(p)\n"
            "s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.unscale_(torch.optim.SGD([p], lr=1.0))"
        ),
    ),
    Pattern(
        name="no-inf-checks", category="grad-scaler",
        texts=("No inf checks were recorded for this optimizer", "No inf checks were recorded prior to update"),
        op="GradScaler.step", implies=("optimizer-without-gradients",),
        raised_by="s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.step(torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0))",
    ),
    Pattern(
        name="unscale-twice", category="grad-scaler",
        texts=(
            "unscale_() has already been called on this optimizer since the last update()",
            "unscale_() is being called after step()",
        ),
        op="GradScaler.unscale_", implies=("scaler-order",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True)\np.grad = torch.ones(2)\no = torch.optim.SGD([p], lr=1.0)\n"
            "s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.unscale_(o)\ns.unscale_(o)"
        ),
    ),
    Pattern(
        name="step-twice", category="grad-scaler", texts=("step() has already been called since the last update()",),
        op="GradScaler.step", implies=("scaler-order",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True)\np.grad = torch.ones(2)\no = torch.optim.SGD([p], lr=1.0)\n"
            "s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.step(o)\ns.step(o)"
        ),
    ),
    Pattern(
        name="scale-missing", category="grad-scaler", texts=("Attempted {op:name} but _scale is None",),
        op="GradScaler.step", implies=("scaler-order",),
        raised_by="p = torch.ones(2, requires_grad=True)\np.grad = torch.ones(2)\ntorch.amp.GradScaler('cpu').unscale_(torch.optim.SGD([p], lr=1.0))",
    ),
    Pattern(
        name="amp-not-begun", category="grad-scaler", op="amp.scale_loss", library="apex",
        texts=("Invoked with amp.scale_loss, but internal Amp state has not been initialized",),
        implies=("scaler-order",),
    ),
    Pattern(
        name="scaler-closure", category="grad-scaler",
        texts=("Closure use is not currently supported if GradScaler is enabled",), op="GradScaler.step",
        implies=("scaler-order",),
        raised_by="s = torch.amp.GradScaler('cpu')\ns.step(torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0), closure=lambda: None)",
    ),
    Pattern(
        name="assigned-gradient-dtype", category="dtype-mismatch", op="tensor.grad",
        texts=(
            "assigned grad has data of a different type",
            "attempting to assign a gradient with dtype {gradient} to a tensor with [grad_|]dtype {parameter}",
            "attempting to assign a gradient of {...}dtype {gradient}{...}dtype {parameter}",
        ),
        raised_by="torch.ones(2, requires_grad=True).grad = torch.ones(2).half()",
        examples=("RuntimeError: assigned grad has data of a different type",),
    ),
    Pattern(
        name="minimum-loss-scale", category="overflow-nan", op="loss scaler", library="fairseq or deepspeed",
        texts=(
            "Minimum loss scale reached",
            "Your loss is probably exploding. Try lowering the learning rate",
            "Current loss scale already at minimum - cannot decrease scale anymore",
        ),
        operands=(("gradients", "float16", ""),), implies=("half-range-exceeded",), ends=("skipped-step",),
        examples=("FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding.",),
    ),
    Pattern(
        name="skipped-step", category="overflow-nan", op="loss scaler", library="apex or deepspeed",
        texts=(
            "OVERFLOW! [Rank {n:int} |]Skipping step",
            "Gradient overflow[.|,] Skipping step[, loss scaler|]",
            "Overflow detected. Skipping step",
        ),
        operands=(("gradients", "float16", ""),), implies=("half-range-exceeded",),
    ),
)
