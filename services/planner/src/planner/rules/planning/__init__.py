"""From wishes to the steps of a plan, with what was said before."""
