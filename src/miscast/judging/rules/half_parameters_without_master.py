"""Trained parameters are float16 or bfloat16, and the optimizer keeps no float32 copy.

## What it does
A torch optimizer gets float16 or bfloat16 parameters, and its learning rate is too small to change most of them: at
their current or initial size, a step is below half of the spacing of the dtype. During a real run (`run --shadow`):
most of the requested change leaves the weights unchanged.

## Why is this bad?
A step below half of the distance to the next representable number rounds to nothing. The weights stop moving while the
loss is computed as usual. These do not lose small steps: float32 weights under autocast, float32 master weights,
stochastic rounding (torchao), and Kahan summation.

## Example
    net = net.bfloat16()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-5)

## Use instead
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-5)   # float32
    with torch.autocast("cuda", torch.bfloat16):
        loss = step(net)

## Fix safety
Not safe: float32 parameters take twice the memory, and training results change.
"""

MESSAGE = "{op}: updates too small to change the weights: {figures}"
HELP = {
    "": (
        "keep trained parameters in float32, at {where}, and compute under torch.autocast",
        "keep float32 master weights, or use an optimizer with stochastic rounding",
    )
}
