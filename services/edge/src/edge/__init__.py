"""The HTTP edge: validates, submits turns to the bus, waits for their answers. Knows no map and no plan."""
