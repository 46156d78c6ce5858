"""Scripted agents: a simulated world whose truth is known, so that crews can be counted against it."""
