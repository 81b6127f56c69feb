// Answers from the server that sent the page: one POST to /v1/OPERATION for each question.
import type {
  AsOf, Batch, Choice, Conflict, Details, GraphEdge, GraphNode, HistoryRow, Hit, LedgerEvent, NodeSet, Part, Source,
} from './types';
import { time } from './dom';
import { say } from './words';

type Json = Record<string, any>; // replies are checked by the server's schemas

const kDetails = { details: ['kind', 'line'], node_columns: ['degree', 'scope', 'superseded_by'] };

export async function ask(operation: string, request: Json): Promise<Response> {
  const response = await fetch(`/v1/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => null) as Json | null;
  throw new Error(body?.error?.message ?? `${response.status} ${response.statusText}`);
}

// The page knows what it can draw: no other bound than the server's.
const reply = async (operation: string, request: Json): Promise<Json> =>
  (await ask(operation, { max_bytes: 0, ...request })).json();
const at = (asOf: AsOf): Json => (asOf ? { as_of: asOf } : {});

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
  };
}

function edgeOf(row: Json): GraphEdge {
  return { source: row.source, target: row.target, kind: row.kind, weight: row.weight, label: row.label };
}

function describe(row: Json): string {
  const parts = [row.what, row.kind, row.column ?? row.field, row.value === undefined ? '' : String(row.value),
    row.direction, row.other, row.label];
  return parts.filter(part => part !== undefined && part !== '').join(' ');
}

export class ServerSource implements Source {
  readonly served = true;
  constructor(readonly mayWrite: boolean) {}

  async status() {
    const stats = await reply('stats', {});
    return { sequence: stats.sequence, nodes: stats.nodes, edges: stats.edges, nodeKinds: stats.node_kinds };
  }

  async words(text: string, asOf: AsOf): Promise<Hit[]> {
    const found = await reply('recall', { words: text, top: 50, hops: 0, max_chars: 200, include_superseded: true, ...kDetails, ...at(asOf) });
    return found.hits.map((hit: Json) => ({
      ...nodeOf(hit), line: hit.line ?? hit.node_line ?? '', score: hit.score, why: hit.why, terms: hit.terms,
      supersededBy: hit.superseded_by ?? nodeOf(hit).supersededBy,
    }));
  }

  async byKey(text: string, asOf: AsOf): Promise<Hit[]> {
    const pattern = text.replace(/[\\%_]/g, c => `\\${c}`);
    const columns = ['key', 'kind', 'text', 'degree', 'scope', 'superseded_by'];
    const exact = reply('list', { where: `key = ${quoted(text)}`, index: true, columns, ...at(asOf) });
    const begins = reply('list', { where: `key like ${quoted(`${pattern}%`)}`, columns, top: 50, ...at(asOf) });
    const rows = [...(await exact).results, ...(await begins).results] as Json[];
    const seen = new Set<string>();
    return rows.filter(row => !seen.has(row.key) && seen.add(row.key)).map(row => ({
      key: row.key, kind: row.kind, line: String(row.text ?? '').split('\n', 1)[0] ?? '', degree: row.degree,
      scope: row.scope ?? undefined, supersededBy: row.superseded_by ?? undefined,
    }));
  }

  async similar(key: string, asOf: AsOf): Promise<Hit[]> {
    const found = await reply('similar', { of: key, top: 30, ...kDetails, ...at(asOf) });
    return found.results.map((row: Json) => ({ ...nodeOf(row), score: row.score, why: say('sharedNeighbours', { count: row.shared }) }));
  }

  async important(asOf: AsOf): Promise<Hit[]> {
    const found = await reply('pagerank', { top: 30, tolerance: 1e-6, ...kDetails, ...at(asOf) });
    return found.nodes.map((row: Json) => ({ ...nodeOf(row), score: row.score }));
  }

  async communities(asOf: AsOf): Promise<NodeSet[]> {
    const found = await reply('communities', { top: 20, members: 40, ...at(asOf) });
    return found.results.map((row: Json) => ({ keys: row.members, title: String(row.community), score: row.size }));
  }

  async load(keys: string[], asOf: AsOf, maybe = false): Promise<Part> {
    const from = maybe && keys.length ? [...await this.where(keys, '', asOf)] : keys;
    if (from.length === 0) return { nodes: [], edges: [] };
    const part = await reply('neighborhood', { from, hops: 0, max_nodes: from.length + 1, ...kDetails, ...at(asOf) });
    return { nodes: part.nodes.map(nodeOf), edges: part.edges.map(edgeOf) };
  }

  async neighbors(key: string, most: number, asOf: AsOf): Promise<Part> {
    const found = await reply('neighbors', { key, top: most, ...kDetails, ...at(asOf) });
    const edges = found.neighbors.map((row: Json): GraphEdge => ({
      source: row.direction === 'in' ? row.key : key, target: row.direction === 'in' ? key : row.key,
      kind: row.kind, weight: row.weight, label: row.label,
    }));
    const nodes = new Map<string, GraphNode>([[key, nodeOf(found)]]);
    for (const row of found.neighbors as Json[]) nodes.set(row.key, { ...nodeOf(row), kind: row.node_kind ?? '' });
    return { nodes: [...nodes.values()], edges, total: found.total };
  }

  async around(key: string, hops: number, most: number, asOf: AsOf): Promise<Part> {
    const part = await reply('neighborhood', { from: [key], hops, max_nodes: most, ...kDetails, ...at(asOf) });
    return { nodes: part.nodes.map(nodeOf), edges: part.edges.map(edgeOf), total: part.truncated ? most + 1 : part.nodes.length };
  }

  async details(key: string, asOf: AsOf): Promise<Details> {
    return reply('get', { key: [key], ...at(asOf) });
  }

  async history(key: string): Promise<HistoryRow[]> {
    const found = await reply('history', { key });
    return found.results.map((row: Json) => ({ sequence: row.sequence, timeMs: row.time_ms, what: describe(row) }));
  }

  async path(from: string, to: string, asOf: AsOf): Promise<GraphEdge[]> {
    const found = await reply('path', { from, to, direction: 'both', ...at(asOf) });
    return (found.paths[0]?.edges ?? []).map(edgeOf);
  }

  async rings(key: string, asOf: AsOf) {
    const found = await reply('traverse', {
      from: [key], hops: 3, decay: 0.7, direction: 'both', top: 120, include_superseded: true, ...at(asOf),
    });
    return found.nodes.map((row: Json) => ({ key: row.key, hops: row.hops, score: row.score, path: row.path.map(edgeOf) }));
  }

  async ranks(keys: string[], asOf: AsOf): Promise<Map<string, number>> {
    const found = await reply('pagerank', { show_where: among(keys), top: 0, tolerance: 1e-6, ...at(asOf) });
    return new Map(found.nodes.map((row: Json) => [row.key, row.percentile]));
  }

  async groups(keys: string[], asOf: AsOf): Promise<Map<string, number>> {
    const found = await reply('communities', { show_where: among(keys), top: 0, members: 0, ...at(asOf) });
    const groups = new Map<string, number>();
    for (const row of found.results as Json[]) for (const key of row.members) groups.set(key, row.community);
    return groups;
  }

  async where(keys: string[], expression: string, asOf: AsOf): Promise<Set<string>> {
    const where = among(keys) + (expression ? ` and (${expression})` : '');
    const found = await reply('list', { where, columns: ['key'], top: 0, index: true, ...at(asOf) });
    return new Set(found.results.map((row: Json) => row.key));
  }

  async batches(): Promise<Batch[]> {
    const found = await reply('log', { top: 1000 });
    return found.results.reverse().map((row: Json) => ({
      sequence: row.sequence, timeMs: row.time_ms, nodesNew: row.nodes_new, edgesNew: row.edges_new, edgesRemoved: row.edges_removed,
    }));
  }

  async frontier(asOf: AsOf): Promise<NodeSet[]> {
    const surface = await reply('frontier', { lens: 'surface', top: 12, max_seconds: 10, ...at(asOf) });
    const sets = surface.candidates.length ? surface : await reply('frontier', { top: 12, max_seconds: 10, ...at(asOf) });
    return sets.candidates.map((row: Json) => ({
      keys: row.ids, score: row.score, question: row.compositionQuestion,
      title: row.reason ?? say('sharedThings', { list: (row.shared ?? []).map((one: Json) => one.key.split('\u001f').pop()).slice(0, 5).join(', ') }),
    }));
  }

  async conflicts(asOf: AsOf): Promise<Conflict[]> {
    const found = await reply('conflicts_list', { top: 100, ...at(asOf) });
    return found.conflicts.map((row: Json) => ({
      a: row.a, b: row.b, since: row.since, newer: row.newer, textA: row.text_a ?? '', textB: row.text_b ?? '',
    }));
  }

  async events(asOf: AsOf): Promise<LedgerEvent[]> {
    const found = await reply('ledger_recent', { limit: 100, ...at(asOf) });
    return found.events.map((row: Json) => ({
      key: row.key, id: row.event_id, createdAt: row.created_at, tool: row.tool, query: row.query, status: row.status,
      confidence: row.confidence, outcomes: row.outcomes,
    }));
  }

  async members(event: LedgerEvent, asOf: AsOf): Promise<string[]> {
    const found = await reply('ledger_get', { event: event.id, ...at(asOf) });
    return found.members.filter((row: Json) => !row.removed && !row.purged).map((row: Json) => row.key);
  }

  async resolve(conflict: Conflict, choice: Choice, dryRun: boolean, sequence: number): Promise<Json> {
    const verdict = choice.verb === 'keep_both' ? { keep_both: true } : { [choice.verb]: choice.key };
    return reply('conflicts_resolve', {
      a: conflict.a, b: conflict.b, ...verdict, created_by: 'explorer', note: `decided ${time(Date.now())}`,
      ...(dryRun ? { dry_run: true } : { expect_sequence: sequence }),
    });
  }

  async nodeLink(keys: string[], asOf: AsOf): Promise<string> {
    return (await ask('export', { format: 'node-link', around: keys, hops: 0, ...at(asOf) })).text();
  }
}
