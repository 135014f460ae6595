"""The live sources: services of the canton and of the Confederation, asked over HTTP."""
