"""What all rules share: how a finding is built and worded, and how findings are merged and put under their causes."""
