"""Floor 6: counts what crews and single agents find, and says which was worth its price."""
