"""Events, days, agents and the overview over HTTP."""
