"""The libraries that talk to the network: one file each, found by discovery.

`MODULES` says what patches which module: `{"urllib3.connectionpool": patches}`, called as `patches(gate, module)` when
the program has imported that module. What stands in for a function calls the original while the gate is open, so that
a reference that outlives the check does no harm.
"""
