"""What is known about map layers, whichever source they are from: how to search them, and who serves them."""
