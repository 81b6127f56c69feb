// What the page knows of a graph: the shapes that sources return and the view keeps.

export interface GraphNode {
  key: string;
  kind: string;
  line: string; // the first line of its text, "" without one
  degree?: number;
  scope?: string;
  supersededBy?: string;
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
  // Of the whole answer; more than nodes.length when some were left out.
  total?: number;
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

// A set of nodes that belong together, drawn as a hull.
export interface NodeSet {
  keys: string[];
  title: string;
  question?: string;
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

export interface Source {
  readonly served: boolean; // a server answers: time, ranks, ledger
  readonly mayWrite: boolean;
  status(): Promise<{ sequence: number; nodes: number; edges: number; nodeKinds: Record<string, number> }>;
  words(text: string, asOf: AsOf): Promise<Hit[]>;
  byKey(text: string, asOf: AsOf): Promise<Hit[]>;
  similar(key: string, asOf: AsOf): Promise<Hit[]>;
  important(asOf: AsOf): Promise<Hit[]>;
  communities(asOf: AsOf): Promise<NodeSet[]>;
  // The nodes that exist, and the edges between them. `maybe`: some may not exist.
  load(keys: string[], asOf: AsOf, maybe?: boolean): Promise<Part>;
  neighbors(key: string, most: number, asOf: AsOf): Promise<Part>;
  around(key: string, hops: number, most: number, asOf: AsOf): Promise<Part>;
  details(key: string, asOf: AsOf): Promise<Details>;
  history(key: string): Promise<HistoryRow[]>;
  path(from: string, to: string, asOf: AsOf): Promise<GraphEdge[]>;
  rings(key: string, asOf: AsOf): Promise<{ key: string; hops: number; score: number; path: GraphEdge[] }[]>;
  ranks(keys: string[], asOf: AsOf): Promise<Map<string, number>>;
  groups(keys: string[], asOf: AsOf): Promise<Map<string, number>>;
  where(keys: string[], expression: string, asOf: AsOf): Promise<Set<string>>;
  batches(): Promise<Batch[]>;
  frontier(asOf: AsOf): Promise<NodeSet[]>;
  conflicts(asOf: AsOf): Promise<Conflict[]>;
  events(asOf: AsOf): Promise<LedgerEvent[]>;
  members(event: LedgerEvent, asOf: AsOf): Promise<string[]>;
  resolve(conflict: Conflict, choice: Choice, dryRun: boolean, sequence: number): Promise<Record<string, unknown>>;
  nodeLink(keys: string[], asOf: AsOf): Promise<string>;
}

export type Choice = { verb: 'supersede' | 'drop'; key: string } | { verb: 'keep_both' };
