"""Services of forgetting: plan, hide, erase, undo."""
