"""Page of a person's channels."""
