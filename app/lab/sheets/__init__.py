"""Sheets: a step or a scene as a picture of its own, on a slide or for a text."""
