"""Agents with a language model: prompts in files, typed answers, a named fallback for each."""
