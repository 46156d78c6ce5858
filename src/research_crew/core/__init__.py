"""Floor 1: the graph, the money and the books. Standard library only; no network, no model, no environment."""
