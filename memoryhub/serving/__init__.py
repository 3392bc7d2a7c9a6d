"""What stands between the network and the program: limits, bodies, answers, threads."""
