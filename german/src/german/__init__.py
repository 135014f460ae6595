"""German as text: spelling, words, sentences, stems, compounds, dates. No I/O."""
