"""Swiss coordinates and outlines. Points are (east, north) in LV95 (EPSG:2056), metres. No I/O."""
