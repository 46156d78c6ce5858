"""Floor 2, above evidence: the guarded fetcher. Nothing else in the package opens a connection to a page."""
