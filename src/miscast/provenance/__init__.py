"""Where in the source a dtype, a device or a tensor came from; frames are read, none of the program's code is run."""
