"""What stands behind `graph.database`: LangGraph's savers and stores, made to last."""
