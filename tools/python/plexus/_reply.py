"""Replies: plain dicts, with ways to the tables and graphs of other libraries."""


class Reply(dict):
    """The reply of an operation. It is the dict of the JSON that `plexus OPERATION --json` prints.

    `bytes` are that JSON."""

    __slots__ = ("bytes",)

    def rows(self, name=None):
        """The list `name` of dicts; without a name the first one there is."""
        if name is not None:
            return self[name]
        for value in self.values():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                return value
        return []

    def to_pandas(self, name=None):
        """rows(name) as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows(name))

    def to_networkx(self, name="edges"):
        """The list `name` of edges (source, target, kind ...) as a networkx.MultiDiGraph."""
        import networkx

        graph = networkx.MultiDiGraph()
        for edge in self.get(name) or self.rows():
            if "source" not in edge or "target" not in edge:
                raise TypeError("the reply has no list of edges")
            more = {k: v for k, v in edge.items() if k not in ("source", "target", "kind")}
            graph.add_edge(edge["source"], edge["target"], key=edge.get("kind"), **more)
        return graph
