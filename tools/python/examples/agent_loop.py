"""An agent that remembers, recalls before it acts, and records what came of it.

    python agent_loop.py DIRECTORY

`act` stands for a language model: here it answers with the memories it was given.
"""

import sys

import plexus


def act(task, memories):
    return "%s: %s" % (task, " ".join(hit["text"] for hit in memories) or "nothing is known")


def step(graph, task):
    """One turn: what is known about the task, the answer, and a record of what it was made of."""
    memories = graph.recall(task, top=3, details=["text"])["hits"]
    answer = act(task, memories)
    event = None
    if memories:
        event = graph.ledger.record(
            tool="agent", query=task, member=[hit["key"] for hit in memories])
    return answer, event


def main(directory):
    with plexus.open(directory) as graph:
        if graph.sequence == 0:  # the first time
            graph.remember("Deploys stop on Fridays.", key="deploys", tags=["deploy"])
            graph.remember("The gateway needs two reviews.", key="reviews", tags=["review"])
            graph.correct("deploys", text="Deploys stop on Thursdays.")
        for task in ("when do deploys stop", "who reviews the gateway"):
            answer, event = step(graph, task)
            print(answer)
            if event:  # whoever reads the answer says whether it helped
                graph.ledger.label(event["event_id"], type="helpful")
        for event in graph.ledger.recent(limit=2)["events"]:
            print(event["event_id"], event["outcomes"])


if __name__ == "__main__":
    main(sys.argv[1])
