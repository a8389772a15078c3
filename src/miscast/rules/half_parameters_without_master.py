"""Trained parameters are half, and the optimizer keeps no float32 copy.

## What
One of torch's optimizers is given float16 or bfloat16 parameters, and its learning rate is below half of the spacing
of most of them, as large as they are or begin. Beside a real run: most of what is asked for changes no weight.

## Why
A step that is below half of the distance to the next number rounds to nothing: the weights stand still while the loss
is computed as ever. Float32 weights under autocast, float32 masters, stochastic rounding (torchao) or Kahan summation
do not lose it.

## Example
    net = net.bfloat16()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-5)

## Use instead
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-5)   # float32
    with torch.autocast("cuda", torch.bfloat16):
        loss = step(net)

## Fix safety
Not safe: float32 parameters take twice the memory, and their training is another one.
"""

MESSAGE = "{op}: weights that do not feel their updates: {figures}"
HELP = {
    "": (
        "keep what is trained in float32, at {where}, and compute under torch.autocast",
        "keep float32 masters, or an optimizer that rounds stochastically",
    )
}
