// What the page knows of a graph: the shapes that sources return and the view keeps.

export interface GraphNode {
  key: string;
  kind: string;
  line: string; // the first line of its text, "" without one
  degree?: number;
  scope?: string;
  supersededBy?: string;
  x?: number; // where the server's layout has it
  y?: number;
}

export interface GraphEdge {
  source: string;
  target: string;
  kind: string;
  weight: number;
  label?: string;
}

export interface Part {
  nodes: GraphNode[];
  edges: GraphEdge[];
  total?: number; // edges of the whole answer
  more?: boolean; // nodes that the limit left out
}

// A row of the list on the left: a node, and why it is there.
export interface Hit extends GraphNode {
  score?: number;
  why?: string;
  terms?: { name: string; value: number; weight: number }[];
}

export interface Batch {
  sequence: number;
  timeMs: number;
  nodesNew: number;
  edgesNew: number;
  edgesRemoved: number;
}

export interface Conflict {
  a: string;
  b: string;
  since: number;
  newer: string;
  textA: string;
  textB: string;
}

export interface LedgerEvent {
  key: string;
  id: string;
  createdAt?: number;
  tool?: string;
  query?: string;
  status?: string;
  confidence?: number;
  outcomes: string[];
}

// Enough to ask for its members.
export type EventName = Pick<LedgerEvent, 'id' | 'query'>;

// A set of nodes that belong together, drawn as a hull.
export interface NodeSet {
  keys: string[];
  title: string;
  question?: string;
  lens?: string;  // of never-combined sets: how they were found
  score?: number;
}

export type Details = Record<string, unknown>;
export interface HistoryRow {
  sequence: number;
  timeMs: number;
  what: string;
}

// "" is the present.
export type AsOf = string;

// The first ones; more: there are others.
export interface Cut<T> {
  rows: T[];
  more: boolean;
}

export interface Write {
  operation: string;
  request: Record<string, unknown>;
}

// A decision that waits, and the edges from it to what it waits for.
export interface Blocked {
  key: string;
  root?: string;
  chain: { source: string; kind: string; target: string }[];
}

// Answers about the graph at one time.
export interface Source {
  readonly served: boolean; // a server answers: time, ranks, ledger
  readonly mayWrite: boolean;
  readonly mayUndo: boolean;
  // The graph as it was then; requests end with the signal.
  at(asOf: AsOf, signal?: AbortSignal): Source;
  status(): Promise<{ sequence: number; nodes: number; edges: number; nodeKinds: Record<string, number> }>;
  words(text: string): Promise<Hit[]>;
  byKey(text: string): Promise<Hit[]>;
  similar(key: string): Promise<Hit[]>;
  important(): Promise<Hit[]>;
  communities(): Promise<NodeSet[]>;
  // The nodes that exist, and the edges between them. `maybe`: some may not exist.
  load(keys: string[], maybe?: boolean): Promise<Part>;
  // The edges between `some` and `all`, which holds them.
  join(some: string[], all: string[]): Promise<GraphEdge[]>;
  neighbors(key: string, most: number): Promise<Part>;
  around(key: string, hops: number, most: number): Promise<Part>;
  details(key: string): Promise<Details>;
  history(key: string): Promise<HistoryRow[]>;
  path(from: string, to: string): Promise<GraphEdge[]>;
  rings(key: string): Promise<{ key: string; hops: number; score: number; path: GraphEdge[] }[]>;
  ranks(keys: string[]): Promise<Map<string, number>>;
  groups(keys: string[]): Promise<Map<string, number>>;
  // A layout of these nodes: communities, and their members around them.
  places(keys: string[]): Promise<Map<string, { x: number; y: number }>>;
  where(keys: string[], expression: string): Promise<Set<string>>;
  batches(): Promise<Cut<Batch>>;
  frontier(): Promise<NodeSet[]>;
  conflicts(): Promise<Cut<Conflict>>;
  events(): Promise<Cut<LedgerEvent>>;
  members(event: EventName): Promise<Hit[]>;
  blocked(): Promise<Cut<Blocked>>;
  dependents(key: string): Promise<Cut<string>>;
  // A dry run, or a write that fails unless the graph is at that sequence; its own in the reply.
  write(write: Write, sequence?: number): Promise<{ sequence: number } & Record<string, unknown>>;
  nodeLink(keys: string[]): Promise<string>;
}
