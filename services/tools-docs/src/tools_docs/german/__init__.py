"""What this service knows of German: spelling, stems, compounds, words that say nothing."""
