"""Whether torch would take a call: by contract, by measurement, by torch itself; how the run goes on if not."""
