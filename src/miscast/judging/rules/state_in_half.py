"""An optimizer's state is stored in half precision.

## What it does
One of torch's Adam optimizers gets half-precision parameters. Its averages are then in half precision too, and its
beta2 or eps has no effect: 0.999 times a bfloat16 number rounds to the same number, and 1e-8 is 0 in float16. Also
reported: an optimizer with float32 states, counters or masks for half-precision parameters, because `load_state_dict`
casts every state except `step` to the dtype of its parameter.

## Why is this bad?
The average of squares never decreases, so that steps get ever smaller after one large gradient; or it is 0 where
gradients are small, and the step is NaN. A resumed training run silently continues with less precision than it saved.

## Example
    optimizer = torch.optim.Adam(net.bfloat16().parameters())      # beta2 is 0.999

## Use instead
    optimizer = torch.optim.Adam(net.float().parameters())         # and torch.autocast around the model

## Fix safety
Not safe: more memory, and training results change.
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "loaded": (
        "restore the saved float32 states in the optimizer's own load_state_dict",
        "keep trained parameters in float32, and compute under torch.autocast",
    ),
    "loaded integers": "restore the saved states in the optimizer's own load_state_dict",
    "": "keep trained parameters in float32, and compute under torch.autocast",
    "factor": (
        "keep trained parameters in float32, and compute under torch.autocast",
        "use a factor that bfloat16 can represent: beta2=0.95",
    ),
}
