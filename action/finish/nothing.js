// Does nothing: the work is done in the post step.
