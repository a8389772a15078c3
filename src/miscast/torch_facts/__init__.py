"""Facts of torch: contracts, autocast policies, and the probe that measures them."""
