"""Runs the turns."""
