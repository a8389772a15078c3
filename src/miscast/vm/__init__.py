"""The virtual machine: a program runs on hardware that is not there; each op is judged, labelled and counted."""
