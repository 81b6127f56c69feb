"""Operations as coroutines. They run on threads: the library releases the interpreter's lock."""

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor

from ._library import Cancel
from ._operations import Operations

_pool = ThreadPoolExecutor(thread_name_prefix="plexus")


class AsyncGraph(Operations):
    """Made by Graph.aio. A coroutine that is cancelled stops its operation."""

    def __init__(self, graph):
        self._graph = graph

    async def _call(self, operation, parameters):
        cancel = parameters.setdefault("cancel", Cancel())
        return await self._run(self._graph._call, operation, parameters, cancel=cancel)

    async def _run(self, function, *arguments, cancel=None):
        future = asyncio.get_running_loop().run_in_executor(
            _pool, functools.partial(function, *arguments))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if cancel is not None:
                cancel.set()
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise

    async def import_records(self, records, **parameters):
        return await self._run(
            functools.partial(self._graph.import_records, records, **parameters))

    async def changes(self, since=0, follow=False, most=100):
        """An asynchronous iterator over the batches after `since`."""
        iterator = self._graph.changes(since, follow, most)
        end = object()
        while True:
            batch = await self._run(next, iterator, end)
            if batch is end:
                return
            yield batch
