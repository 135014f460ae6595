"""Tools that find addresses, municipalities, places, map layers and parcels."""
