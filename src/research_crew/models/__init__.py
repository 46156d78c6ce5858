"""Language models: one request door, prices, bounds, and the reading of hostile answers."""
