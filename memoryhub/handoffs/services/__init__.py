"""Services of handoffs: changes made by people and agents."""
