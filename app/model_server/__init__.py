"""A server that speaks the OpenAI HTTP API: scripted for tests, or playing the stand-in model."""
