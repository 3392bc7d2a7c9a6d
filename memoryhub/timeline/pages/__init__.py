"""Events, days, agents and the overview as pages show them."""
