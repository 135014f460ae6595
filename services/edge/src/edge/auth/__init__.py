"""Who asks, and what they may: credentials become principals here, and nowhere else."""
