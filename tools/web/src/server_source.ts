// Answers from the server that sent the page: one POST to /v1/OPERATION for each question.
import type {
  AsOf, Batch, Blocked, Conflict, Cut, Details, EventName, GraphEdge, GraphNode, HistoryRow, Hit, LedgerEvent, NodeSet, Part, Source, Write,
} from './types';
import { access, authorization } from './access';
import { kMostForced } from './view';
import { say, term } from './words';

type Json = Record<string, any>; // replies are checked by the server's schemas

const kDetails = { details: ['kind', 'line'], node_columns: ['degree', 'scope', 'superseded_by'] };

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
const among = (keys: string[]): string => `key in (${keys.map(quoted).join(',')})`;

function nodeOf(row: Json): GraphNode {
  const columns = row.node_columns ?? {};
  return {
    key: row.key,
    kind: row.node_kind ?? row.kind ?? '',
    line: row.node_line ?? '',
    degree: columns.degree,
    scope: columns.scope ?? undefined,
    supersededBy: columns.superseded_by ?? undefined,
    x: row.x,
    y: row.y,
  };
}

function edgeOf(row: Json): GraphEdge {
  return { source: row.source, target: row.target, kind: row.kind, weight: row.weight, label: row.label };
}

function describe(row: Json): string {
  const parts = [term(String(row.what)), row.kind, row.column ?? row.field, row.value === undefined ? '' : String(row.value),
    row.direction && term(String(row.direction)), row.other, row.label];
  return parts.filter(part => part !== undefined && part !== '').join(' ');
}

export class ServerSource implements Source {
  readonly served = true;
  constructor(private readonly asOf: AsOf = '', private readonly signal?: AbortSignal) {}

  get mayWrite(): boolean { return access.write; }
  get mayUndo(): boolean { return access.history; }
  at(asOf: AsOf, signal = this.signal): Source { return new ServerSource(asOf, signal); }

  private async ask(operation: string, request: Json): Promise<Response> {
    const response = await fetch(`/v1/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization() },
      body: JSON.stringify(request),
      signal: this.signal ?? null,
    });
    if (response.ok) return response;
    if (response.status === 401) throw new Error(say('tokenRefused'));
    const body = await response.json().catch(() => null) as Json | null;
    const why = body?.error?.message ?? `${response.status} ${response.statusText}`;
    throw new Error(response.status === 403 && access.token ? say('rightMissing', { why }) : why);
  }
  private async replyNow(operation: string, request: Json): Promise<Json> {
    return (await this.ask(operation, request)).json();
  }
  private reply(operation: string, request: Json): Promise<Json> {
    // The page knows what it can draw: no other bound than the server's.
    return this.replyNow(operation, { max_bytes: 0, ...request, ...this.past });
  }
  private get past(): Json { return this.asOf ? { as_of: this.asOf } : {}; }

  async status() {
    const stats = await this.replyNow('stats', {});
    return { sequence: stats.sequence, nodes: stats.nodes, edges: stats.edges, nodeKinds: stats.node_kinds };
  }

  async words(text: string): Promise<Hit[]> {
    const found = await this.reply('recall', { words: text, top: 50, hops: 0, max_chars: 200, include_superseded: true, ...kDetails });
    return found.hits.map((hit: Json) => ({
      ...nodeOf(hit), line: hit.line ?? hit.node_line ?? '', score: hit.score, why: hit.why, terms: hit.terms,
      supersededBy: hit.superseded_by ?? nodeOf(hit).supersededBy,
    }));
  }

  async byKey(text: string): Promise<Hit[]> {
    const pattern = text.replace(/[\\%_]/g, c => `\\${c}`);
    const columns = ['key', 'kind', 'text', 'degree', 'scope', 'superseded_by'];
    const exact = this.reply('list', { where: `key = ${quoted(text)}`, index: true, columns });
    const begins = this.reply('list', { where: `key like ${quoted(`${pattern}%`)}`, columns, top: 50 });
    const rows = [...(await exact).results, ...(await begins).results] as Json[];
    const seen = new Set<string>();
    return rows.filter(row => !seen.has(row.key) && seen.add(row.key)).map(row => ({
      key: row.key, kind: row.kind, line: String(row.text ?? '').split('\n', 1)[0] ?? '', degree: row.degree,
      scope: row.scope ?? undefined, supersededBy: row.superseded_by ?? undefined,
    }));
  }

  async similar(key: string): Promise<Hit[]> {
    const found = await this.reply('similar', { of: key, top: 30, ...kDetails });
    return found.results.map((row: Json) => ({ ...nodeOf(row), score: row.score, why: say('sharedNeighbours', { count: row.shared }) }));
  }

  async important(): Promise<Hit[]> {
    const found = await this.reply('pagerank', { top: 30, tolerance: 1e-6, ...kDetails });
    return found.nodes.map((row: Json) => ({ ...nodeOf(row), score: row.score }));
  }

  async communities(): Promise<NodeSet[]> {
    const found = await this.reply('communities', { top: 20, members: 40 });
    return found.results.map((row: Json) => ({ keys: row.members, title: String(row.community), score: row.size }));
  }

  async load(keys: string[], maybe = false): Promise<Part> {
    const from = maybe && keys.length ? [...await this.where(keys, '')] : keys;
    if (from.length === 0) return { nodes: [], edges: [] };
    const part = await this.reply('neighborhood', { from, hops: 0, max_nodes: from.length + 1, places: from.length > kMostForced, ...kDetails });
    return { nodes: part.nodes.map(nodeOf), edges: part.edges.map(edgeOf) };
  }

  async join(some: string[], all: string[]): Promise<GraphEdge[]> {
    const hops = some.length < all.length ? 1 : 0;
    const part = await this.reply('neighborhood', { from: some, hops, where: among(all), max_nodes: all.length + 1 });
    return part.edges.map(edgeOf);
  }

  async neighbors(key: string, most: number): Promise<Part> {
    const found = await this.reply('neighbors', { key, top: most, ...kDetails });
    const edges = found.neighbors.map((row: Json): GraphEdge => ({
      source: row.direction === 'in' ? row.key : key, target: row.direction === 'in' ? key : row.key,
      kind: row.kind, weight: row.weight, label: row.label,
    }));
    const nodes = new Map<string, GraphNode>([[key, nodeOf(found)]]);
    for (const row of found.neighbors as Json[]) nodes.set(row.key, { ...nodeOf(row), kind: row.node_kind ?? '' });
    return { nodes: [...nodes.values()], edges, total: found.total };
  }

  async around(key: string, hops: number, most: number): Promise<Part> {
    const part = await this.reply('neighborhood', { from: [key], hops, max_nodes: most, places: most > kMostForced, ...kDetails });
    return { nodes: part.nodes.map(nodeOf), edges: part.edges.map(edgeOf), more: part.truncated };
  }

  async details(key: string): Promise<Details> {
    return this.reply('get', { key: [key], times: 'iso' });
  }

  async history(key: string): Promise<HistoryRow[]> {
    const found = await this.replyNow('history', { key });
    return found.results.map((row: Json) => ({ sequence: row.sequence, timeMs: row.time_ms, what: describe(row) }));
  }

  async path(from: string, to: string): Promise<GraphEdge[]> {
    const found = await this.reply('path', { from, to, direction: 'both' });
    return (found.paths[0]?.edges ?? []).map(edgeOf);
  }

  async rings(key: string) {
    const found = await this.reply('traverse', {
      from: [key], hops: 3, decay: 0.7, direction: 'both', top: 120, include_superseded: true,
    });
    return found.nodes.map((row: Json) => ({ key: row.key, hops: row.hops, score: row.score, path: row.path.map(edgeOf) }));
  }

  async ranks(keys: string[]): Promise<Map<string, number>> {
    const found = await this.reply('pagerank', { show_where: among(keys), top: 0, tolerance: 1e-6 });
    return new Map(found.nodes.map((row: Json) => [row.key, row.percentile]));
  }

  async groups(keys: string[]): Promise<Map<string, number>> {
    const found = await this.reply('communities', { show_where: among(keys), top: 0, members: 0 });
    const groups = new Map<string, number>();
    for (const row of found.results as Json[]) for (const key of row.members) groups.set(key, row.community);
    return groups;
  }

  async places(keys: string[]): Promise<Map<string, { x: number; y: number }>> {
    const part = await this.reply('neighborhood', { from: keys, hops: 0, max_nodes: keys.length + 1, places: true });
    return new Map(part.nodes.filter((row: Json) => row.x !== undefined).map((row: Json) => [row.key, { x: row.x, y: row.y }]));
  }

  async where(keys: string[], expression: string): Promise<Set<string>> {
    const where = among(keys) + (expression ? ` and (${expression})` : '');
    const found = await this.reply('list', { where, columns: ['key'], top: 0, index: true });
    return new Set(found.results.map((row: Json) => row.key));
  }

  async batches(): Promise<Cut<Batch>> {
    const found = await this.replyNow('log', { top: 1000 });
    const rows = found.results.reverse().map((row: Json) => ({
      sequence: row.sequence, timeMs: row.time_ms, nodesNew: row.nodes_new, edgesNew: row.edges_new, edgesRemoved: row.edges_removed,
    }));
    return { rows, more: found.total > rows.length };
  }

  async frontier(): Promise<NodeSet[]> {
    // Of few events the default is the lens rare, which asks no questions: surface does, where it finds sets.
    const usual = await this.reply('frontier', { top: 12, max_seconds: 10 });
    const asking = usual.lens === 'rare' ? await this.reply('frontier', { lens: 'surface', top: 12, max_seconds: 10 }) : usual;
    const sets = asking.candidates.length ? asking : usual;
    return sets.candidates.map((row: Json) => ({
      keys: row.ids, lens: sets.lens, score: row.score, question: row.compositionQuestion,
      title: row.reason ?? say('sharedThings', { list: (row.shared ?? []).map((one: Json) => one.key.split('\u001f').pop()).slice(0, 5).join(', ') }),
    }));
  }

  async conflicts(): Promise<Cut<Conflict>> {
    const found = await this.reply('conflicts_list', { top: 100 });
    const rows = found.conflicts.map((row: Json) => ({
      a: row.a, b: row.b, since: row.since, newer: row.newer, textA: row.text_a ?? '', textB: row.text_b ?? '',
    }));
    return { rows, more: found.total > rows.length };
  }

  async events(): Promise<Cut<LedgerEvent>> {
    const found = await this.reply('ledger_recent', { limit: 100 });
    const rows = found.events.map((row: Json) => ({
      key: row.key, id: row.event_id, createdAt: row.created_at, tool: row.tool, query: row.query, status: row.status,
      confidence: row.confidence, outcomes: row.outcomes,
    }));
    return { rows, more: found.next !== undefined };
  }

  // With what the event says of each.
  async members(event: EventName): Promise<Hit[]> {
    const found = await this.reply('ledger_get', { event: event.id });
    return found.members.filter((row: Json) => !row.removed && !row.purged).map((row: Json) => ({
      key: row.key, kind: '', line: row.preview ?? '', score: row.score, why: say('memberOf', { role: row.role, event: event.query ?? event.id }),
    }));
  }

  async blocked(): Promise<Cut<Blocked>> {
    const found = await this.reply('decisions_blocked', { top: 100, max_steps: 100 });
    return { rows: found.blocked.map((row: Json) => ({ key: row.key, root: row.root, chain: row.chain })), more: found.total > found.blocked.length };
  }

  async dependents(key: string): Promise<Cut<string>> {
    const found = await this.reply('decisions_descendants', { key, top: 200 });
    return { rows: found.results.map((row: Json) => row.key), more: found.total > found.results.length };
  }

  // Not ended by a signal: it would not be known whether it was written.
  async write({ operation, request }: Write, sequence?: number): Promise<{ sequence: number } & Json> {
    const how = sequence === undefined ? { dry_run: true } : { expect_sequence: sequence };
    return await new ServerSource().replyNow(operation, { ...request, ...how }) as { sequence: number } & Json;
  }

  async nodeLink(keys: string[]): Promise<string> {
    return (await this.ask('export', { format: 'node-link', around: keys, hops: 0, ...this.past })).text();
  }
}
