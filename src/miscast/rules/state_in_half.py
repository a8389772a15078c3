"""An optimizer's averages have the half dtype of the parameters.

## What
One of torch's Adams is given half parameters, so that its averages are half, and its beta2 or eps is none there: 0.999
of a bfloat16 number is that number, 1e-8 is 0 in float16. Or an optimizer keeps states in float32, or counters and
masks, beside half parameters, and `load_state_dict` casts them: torch gives every state but `step` its parameter's
dtype.

## Why
The average of squares never falls, so steps get ever smaller after one large gradient; or it is 0 where gradients are
small, and the step is nan. A training that resumes goes on with less than it saved, without an error.

## Example
    optimizer = torch.optim.Adam(net.bfloat16().parameters())      # beta2 is 0.999

## Use instead
    optimizer = torch.optim.Adam(net.float().parameters())         # and torch.autocast around the model

## Fix safety
Not safe: more memory, another training.
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "loaded": (
        "put the saved float32 states back after load_state_dict, in a load_state_dict of the optimizer's own",
        "keep what is trained in float32, and compute under torch.autocast",
    ),
    "loaded integers": "put the saved states back after load_state_dict, in a load_state_dict of the optimizer's own",
    "": "keep what is trained in float32, and compute under torch.autocast",
    "factor": (
        "keep what is trained in float32, and compute under torch.autocast",
        "use a factor that bfloat16 holds: a beta2 of 0.95",
    ),
}
