"""The bundled sample: a few real documents in several file types, and a question about them."""
