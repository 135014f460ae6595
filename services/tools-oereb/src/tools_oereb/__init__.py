"""Tools for the cadastre of public-law restrictions on landownership (ÖREB)."""
