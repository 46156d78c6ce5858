"""Results for people: reports, bills, what was dropped."""
