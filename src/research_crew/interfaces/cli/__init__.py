"""The command line: routed first, then parsed by the one command that was named."""
