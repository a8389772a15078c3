"""Autocast computes with weights as they were before the last update.

## What
Within one open region of autocast a parameter is cast to half, changed in place, as `optimizer.step()` does, and used
again. torch keeps the half copy of a float32 parameter until the outermost region ends.

## Why
The second forward pass computes with the old weights, and so do all behind it: the loss stays where it is, without an
error, and gradients are those of the first step.

## Example
    with torch.autocast("cuda"):
        for x in loader:
            net(x).mean().backward()
            optimizer.step()

## Use instead
    for x in loader:
        with torch.autocast("cuda"):
            loss = net(x).mean()
        loss.backward()
        optimizer.step()

## Fix safety
Not safe: another training, the right one.
"""

MESSAGE = "{op} computes with old weights: {figures}"
HELP = {
    "": (
        "open the region of autocast around the forward pass and the loss only, so that it ends before the update",
        "forget the copies after each update: `torch.clear_autocast_cache()`",
    )
}
