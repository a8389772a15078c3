"""A forecast of how long a run takes on a machine: each op's operations and bytes, and what kernels reach of its peaks.

    meter = Meter("cuda")                 # is told of each kernel of a run on the virtual machine
    forecast(meter.work, rates_of(find("a100"))).seconds

It is a forecast and no measurement: nothing of a GPU was run. docs/plan.md says how near it comes.
"""
