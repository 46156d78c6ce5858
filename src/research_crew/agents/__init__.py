"""Floor 4: who does the work. Three sets of agents behind one seam, and the values they hand to each other."""
