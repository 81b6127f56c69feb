"""What NetworkX asks of its backends when it is imported; the library is not loaded for it."""


def info():
    return {
        "backend_name": "plexus",
        "project": "plexus",
        "package": "plexus",
        "short_summary": "Algorithms of Plexus, of all processors",
    }
