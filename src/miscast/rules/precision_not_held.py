"""Half precision is asked for, and nothing computes in it, or a part does not.

## What
A region of autocast, an Accelerator's `mixed_precision`, `TrainingArguments(fp16=True)`: all matrix products that it
covers ran in another dtype. Autocast acts on one type of device only: `autocast("cpu")` does nothing for tensors on
cuda. Accelerate 1.15 and Transformers 5.23 accept float16 on a CPU and compute in float32; Accelerate's
`load_checkpoint_and_dispatch(dtype=…)` ignores the dtype without a `device_map`.

As a hint, which changes no exit code: an Accelerator's `autocast()` without mixed precision, which does nothing
(accelerate 1.15), and products in a region that autocast has no rule for, as those of `grouped_mm` on a CPU.

## Why
The program takes the time and the memory of float32, and a comparison of precisions compares nothing.

## Example
    with torch.autocast("cpu", torch.bfloat16):          # net and x are on cuda
        loss = net(x)

## Use instead
    with torch.autocast(x.device.type, torch.bfloat16):
        loss = net(x)

## Fix safety
Not safe: what is computed in half precision then has other numbers.
"""

MESSAGE = "{figures}"
HELP = {
    "region": "give torch.autocast the type of device that the tensors are on, at {where}: `x.device.type`",
    "setting": "ask for bfloat16, which a CPU computes in, too, at {where}, or leave it out",
    "loading": "convert the model when it is loaded, at {where}: `net.to(torch.{wanted})`",
    "accelerator": "give the Accelerator its mixed_precision, or leave out its autocast, at {where}",
    "escapes": "cast its operands before it, at {where}: `x.to(torch.{wanted})`",
}
SEVERITY = {"accelerator": "hint", "escapes": "hint"}
