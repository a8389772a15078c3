"""Check whether torch would accept a call, by contract, measurement or torch itself. Go on if it would not."""
