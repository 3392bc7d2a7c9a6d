"""What is done to forget: planned, hidden, erased, or taken back."""
