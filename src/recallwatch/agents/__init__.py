"""What an agent may ask of recall logs: tools of the Model Context Protocol (`recallwatch mcp`)."""
