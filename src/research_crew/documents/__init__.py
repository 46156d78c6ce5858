"""Floor 2, above evidence: files to text to passages, and the index that finds them."""
