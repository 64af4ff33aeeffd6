"""How the parts are wired: the graph, its context, its settings and the resources it opens."""
