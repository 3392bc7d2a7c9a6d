"""What notes say: decisions, directives and open work, declared or suggested."""
