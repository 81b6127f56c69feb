// The types of the package: this head, and the operations that generate.js makes of their rows.

/** What an operation replies: the JSON of `plexus OPERATION --json`. */
export type Reply = Record<string, any>;
export interface CallOptions {
  /** Ends the operation, which then rejects with the code "cancelled". */
  signal?: AbortSignal;
}
export interface PlexusError extends Error {
  /** "not_found", "invalid_argument", "locked" and so on. */
  code: string;
}
export interface OpenOptions {
  /** Make the graph where the directory has none; default true. */
  create?: boolean;
  /** Take no lock and write nothing; refresh() follows the writer. */
  readOnly?: boolean;
  /** How long to wait for another process that writes. */
  lockWaitMs?: number;
}
export interface Counts {
  sequence: bigint;
  nodesAdded: number;
  added: number;
  changed: number;
  same: number;
}
export interface Csr {
  offsets: Uint32Array;
  targets: Uint32Array;
  weights: Float32Array;
  /** The node id of each row. */
  nodes: Uint32Array;
}
/** A graph at one moment; it stays valid when the graph is closed. Arrays are copies. */
export class Snapshot {
  keys(ids?: Uint32Array): Promise<string[]>;
  pagerank(options?: {
    damping?: number; iterations?: number; weighted?: boolean; signal?: AbortSignal;
  }): Promise<Float64Array>;
  csr(options?: {kind?: string; incoming?: boolean}): Promise<Csr>;
  column(name: string): Promise<{
    nodes: Uint32Array;
    values: Float64Array | BigInt64Array | string[];
  }>;
  vectors(space?: string): Promise<{nodes: Uint32Array; values: Float32Array; dimensions: number}>;
  close(): void;
  [Symbol.dispose](): void;
}
export interface Graph extends Operations {}
export class Graph {
  /** The number of the last batch. */
  readonly sequence: bigint;
  readonly closed: boolean;
  close(): Promise<void>;
  refresh(): void;
  /** As the graph is, or as it was: a sequence or a time. */
  snapshot(options?: {asOf?: number | bigint | string}): Snapshot;
  /** Records as objects: {node, kind, text ...}, {edge: [a, b], kind ...}. */
  importRecords(records: Iterable<object>, parameters?: object, options?: CallOptions):
    Promise<Reply>;
  importBytes(content: string | Uint8Array, parameters?: object, options?: CallOptions):
    Promise<Reply>;
  /** Numbers are positions in `keys`, else keys themselves; with `ids` node ids. */
  putEdges(edges: {
    sources: Uint32Array; targets: Uint32Array; keys?: string[]; ids?: boolean; kind?: string;
    weights?: Float32Array; signal?: AbortSignal;
  }): Promise<Counts>;
  putVectors(vectors: {
    values: Float32Array; dimensions: number; keys?: string[]; space?: string; metric?: string;
    signal?: AbortSignal;
  }): Promise<Counts>;
  /** Sets a column of many nodes, or with the column "text" their texts; an empty text clears.
   * Without keys and ids value 17 is of the key "17". What is missing is made. */
  putColumn(values: {
    column: string; values: Float64Array | BigInt64Array | string[]; keys?: string[];
    ids?: Uint32Array; kind?: string; signal?: AbortSignal;
  }): Promise<Counts>;
  /** What each batch after `since` is about; `follow` waits for more until the graph is closed. */
  changes(options?: {since?: bigint | number; follow?: boolean; most?: number}):
    AsyncIterableIterator<Reply>;
  /** An operation by its name, answered before it returns; of an export the bytes. */
  callSync(operation: string, parameters?: object): any;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}
export function open(directory: string, options?: OpenOptions): Graph;
/** An empty graph in RAM, which is gone when it is closed, and has no history. */
export function inMemory(): Graph;
/** An operation on a directory that is opened for it, such as restore. */
export function callAt(directory: string | null, operation: string, parameters?: object): any;
