"""Roles for small models on one's own machine: short prompts, short answers, and code for what they do badly.

A small model splits a question badly, copies a quote badly and forgets to cite. So code adds a query for every name that
the question has, finds the sentence that a noted fact rests on, lists the facts below the answer, and asks for numbers of
sentences instead of edits. Every check that a claim has to pass is the same as for any other model.
"""
