"""The course in a web page: its own code on Pyodide, and what stands there for processes, threads and time limits."""
