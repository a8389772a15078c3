"""Autocast computes with weights from before the last optimizer step.

## What it does
Inside one open autocast region, a parameter is cast to half precision, changed in place (as `optimizer.step()` does),
and used again. torch caches the half-precision copy of a float32 parameter until the outermost region ends.

## Why is this bad?
The second forward pass and all later ones still use the old weights. The loss stops improving, no error is raised, and
the gradients are those of the first step.

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
Not safe: training results change (they become correct).
"""

MESSAGE = "{op} computes with old weights: {figures}"
HELP = {
    "": (
        "wrap only the forward pass and the loss in autocast, so that the region ends before the update",
        "clear the cached copies after each update: `torch.clear_autocast_cache()`",
    )
}
