"""The real `langgraph dev` with the graph, saver and store that ship, on a real Postgres."""
