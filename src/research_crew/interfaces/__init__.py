"""Floor 7: how people and programs reach the crew."""
