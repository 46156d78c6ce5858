"""Says whether a run could work here, and what to do where it could not."""
