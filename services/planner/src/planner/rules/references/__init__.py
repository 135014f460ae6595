"""What a message points at: coordinates, parcels, addresses, places."""
