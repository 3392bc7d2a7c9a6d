"""Files, their problems and agents: revisions to rows."""
