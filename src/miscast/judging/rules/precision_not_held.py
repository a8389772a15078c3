"""Half precision is requested, but some or all of the computation runs in another dtype.

## What it does
Half precision is requested by an autocast region, an Accelerator's `mixed_precision` or `TrainingArguments(fp16=True)`,
but every matrix product that it covers runs in another dtype. Autocast applies to one device type only:
`autocast("cpu")` does nothing for tensors on cuda. Accelerate 1.15 and Transformers 5.23 accept float16 on a CPU and
compute in float32. Accelerate's `load_checkpoint_and_dispatch(dtype=…)` ignores the dtype without a `device_map`.

Also reported: a rounding error that a function compiled by torch.compile computes, as `x - x.bfloat16().float()` or a
compensated sum in bfloat16. Inductor keeps float32 between fused ops, so the computed error is 0.

Also reported: bytes that hold numbers of one dtype and are read as another of the same size, as float8_e4m3fn codes
that are stored as uint8 and come back by `.view(torch.float8_e5m2)`. All numbers are wrong then.

Reported as hints, which do not change the exit code: an Accelerator's `autocast()` without mixed precision, which does
nothing (accelerate 1.15), and products in a region for which autocast has no rule, such as `grouped_mm` on a CPU.

## Why is this bad?
The program takes the time and memory of float32, and a comparison of precisions compares the same computation twice.

## Example
    with torch.autocast("cpu", torch.bfloat16):          # net and x are on cuda
        loss = net(x)

## Use instead
    with torch.autocast(x.device.type, torch.bfloat16):
        loss = net(x)

## Fix safety
Not safe: results in half precision differ.
"""

MESSAGE = "{figures}"
HELP = {
    "region": "pass torch.autocast the device type of the tensors, at {where}: `x.device.type`",
    "setting": "use bfloat16, which CPUs support, at {where}, or remove the setting",
    "loading": "convert the model when it is loaded, at {where}: `net.to(torch.{wanted})`",
    "accelerator": "set the Accelerator's mixed_precision, or remove its autocast, at {where}",
    "fused": "round as written, at {where}: `torch.compile(options=dict(emulate_precision_casts=True))`, or leave it "
    "out of the compiled code: `torch.compiler.disable(lambda x: x)`",
    "bits": "view them as the dtype that they were written in, at {where}",
    "escapes": "cast its operands first, at {where}: `x.to(torch.{wanted})`",
}
SEVERITY = {"accelerator": "hint", "escapes": "hint"}
