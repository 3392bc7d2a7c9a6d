"""What people do with what is their own."""
