"""Find where in the source a dtype, a device or a tensor came from. Frames are read; no program code is run."""
