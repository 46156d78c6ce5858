"""Agents without a model: they plan by the question's parts, search, and select verbatim sentences."""
