// peer_duckdb: DuckDB in process (npm package @duckdb/node-api), statements prepared once.
//
// traverse: one recursive query USING KEY (node): a node keeps its best label, and only
// labels that got better go into the next hop, so no walk is enumerated. pairs: the
// self-join over tags with an anti-join for the mask. open: a database file.
'use strict';
const fs = require('fs');
const { DuckDBInstance, DuckDBDataChunk, INTEGER, DOUBLE, version } = require('@duckdb/node-api');
const { Peer, array, readArcs } = require('./peer.js');

const HOPS = 4, TRAVERSE_TOP = 100, PAIRS_TOP = 1000;
const REACH_HOPS = 6, PATTERN = { many: 13, last: 12, hops: 8 };  // traversal.h

async function open(peer, file) {
  const instance = await DuckDBInstance.create(file, { threads: String(peer.threads) });
  return { instance, connection: await instance.connect() };
}

async function append(connection, table, types, columns) {
  const appender = await connection.createAppender(table);
  const rows = columns[0].length;
  for (let first = 0; first < rows; first += 2048) {
    const chunk = DuckDBDataChunk.create(types);
    chunk.setColumns(columns.map((column) => Array.from(column.slice(first, first + 2048))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

async function loadGraph(connection, arcs) {
  await connection.run('CREATE TABLE node(id INTEGER); CREATE TABLE edge(source INTEGER, target INTEGER, weight DOUBLE)');
  await append(connection, 'node', [INTEGER], [Uint32Array.from({ length: arcs.nodes }, (_, v) => v)]);
  await append(connection, 'edge', [INTEGER, INTEGER, DOUBLE], [arcs.source, arcs.target, arcs.weight]);
}

async function numbers(connection, sql) {
  return (await connection.runAndReadAll(sql)).getRows()[0].map(Number);
}

const WALKS = `SELECT (SELECT count(*) FROM node), (SELECT count(*) FROM edge), sum(o.n * i.n)
  FROM (SELECT source v, count(*) n FROM edge GROUP BY 1) o
  JOIN (SELECT target v, count(*) n FROM edge GROUP BY 1) i USING (v)`;

async function traverse(peer) {
  const arcs = readArcs(peer.folder), starts = array(peer.folder, 'starts.u32');
  const { connection } = await open(peer, ':memory:');
  await peer.load(() => loadGraph(connection, arcs));
  const query = await connection.prepare(`
    WITH RECURSIVE best(node, score, hop) USING KEY (node) AS (
      SELECT $1::INTEGER, 1.0::DOUBLE, 0
      UNION
      SELECT n.target, n.score, n.hop FROM (
        SELECT e.target, max(b.score * e.weight) score, any_value(b.hop) + 1 hop
        FROM best b JOIN edge e ON e.source = b.node WHERE b.hop < ${HOPS} GROUP BY e.target) n
      LEFT JOIN recurring.best r ON r.node = n.target
      WHERE r.score IS NULL OR n.score > r.score)
    SELECT node, score FROM best WHERE node <> $1 ORDER BY score DESC, node LIMIT ${TRAVERSE_TOP}`);
  await peer.queries(starts.length, async (i) => {
    query.bindInteger(1, starts[i]);
    return (await query.runAndReadAll()).getRows();
  });
  peer.note(`one recursive query USING KEY, ${peer.threads} threads, no index`);
}

// traversal.h's works, each one recursive query. Reaching: USING KEY, a node's first hop stays.
// Sums and the like: a hop is one grouped join, the layers are added up at the end.
const OVER = { sum: (x) => `sum(${x})`, min: (x) => `min(${x})`, 'noisy-or': (x) => `1 - product(1 - ${x})` };
const reach = `
  WITH RECURSIVE reach(node, hop) USING KEY (node) AS (
    SELECT $1::INTEGER, 0
    UNION
    SELECT DISTINCT e.target, r.hop + 1 FROM reach r JOIN edge e ON e.source = r.node
    LEFT JOIN recurring.reach old ON old.node = e.target WHERE old.node IS NULL AND r.hop < ${REACH_HOPS})
  SELECT node, hop FROM reach WHERE node <> $1 ORDER BY hop, node`;
const pattern = `
  WITH RECURSIVE walk(node, hop) AS (
    SELECT $1::INTEGER, 0
    UNION
    SELECT e.target, w.hop + 1 FROM walk w JOIN edge e ON e.source = w.node AND e.kind = ${PATTERN.many}
    WHERE w.hop < ${PATTERN.hops - 1})
  SELECT e.target, min(w.hop) + 1 hop FROM walk w JOIN edge e ON e.source = w.node AND e.kind = ${PATTERN.last}
  WHERE w.hop >= 1 GROUP BY e.target ORDER BY hop, e.target`;
const layers = (over) => `
  WITH RECURSIVE layer(node, score, hop) AS (
    SELECT $1::INTEGER, 1.0::DOUBLE, 0
    UNION ALL
    SELECT e.target, ${over('l.score * e.weight')}, any_value(l.hop) + 1 FROM layer l JOIN edge e ON e.source = l.node
    WHERE l.hop < ${HOPS} GROUP BY e.target)
  SELECT node, ${over('score')} total FROM layer WHERE node <> $1 GROUP BY node
  ORDER BY total DESC, node LIMIT ${TRAVERSE_TOP}`;

async function walks(peer) {
  const arcs = readArcs(peer.folder), starts = array(peer.folder, 'starts.u32');
  const [source, target] = peer.work === 'ancestors' ? [arcs.target, arcs.source] : [arcs.source, arcs.target];
  const { connection } = await open(peer, ':memory:');
  await peer.load(async () => {
    await connection.run('CREATE TABLE edge(source INTEGER, target INTEGER, weight DOUBLE, kind INTEGER)');
    await append(connection, 'edge', [INTEGER, INTEGER, DOUBLE, INTEGER], [source, target, arcs.weight, arcs.kind]);
  });
  const over = OVER[peer.work];
  const query = await connection.prepare(over ? layers(over) : peer.work === 'pattern' ? pattern : reach);
  await peer.queries(starts.length, async (i) => {
    query.bindInteger(1, starts[i]);
    return (await query.runAndReadAll()).getRows();
  });
  peer.note(`one recursive query${over || peer.work === 'pattern' ? '' : ' USING KEY'}, ${peer.threads} threads, no index`);
}

async function pairs(peer) {
  const { connection } = await open(peer, ':memory:');
  const read = (name) => array(peer.folder, name);
  await peer.load(async () => {
    await connection.run('CREATE TABLE raw(tag INTEGER, fact INTEGER); CREATE TABLE member(event INTEGER, fact INTEGER)');
    await append(connection, 'raw', [INTEGER, INTEGER], [read('has_tag_tag.u32'), read('has_tag_fact.u32')]);
    await append(connection, 'member', [INTEGER, INTEGER], [read('member_event.u32'), read('member_fact.u32')]);
    await connection.run(`CREATE TABLE has_tag AS SELECT tag, fact, 1 / ln(1 + df) AS weight
      FROM raw JOIN (SELECT tag, count(*) df FROM raw GROUP BY tag) USING (tag) WHERE df >= 2`);
    await connection.run(`CREATE TABLE together AS SELECT DISTINCT x.fact a, y.fact b
      FROM member x JOIN member y ON x.event = y.event AND x.fact < y.fact`);
  });
  await peer.run(
    () => connection.runAndReadAll(`
      SELECT p.a, p.b, p.score FROM (
        SELECT x.fact a, y.fact b, sum(x.weight) score FROM has_tag x JOIN has_tag y
        ON x.tag = y.tag AND x.fact < y.fact GROUP BY ALL) p
      ANTI JOIN together t ON t.a = p.a AND t.b = p.b
      ORDER BY score DESC, a, b LIMIT ${PAIRS_TOP}`),
    (reader) => {
      const rows = reader.getRows();
      return [rows.length, ...rows.flat().map(Number)];
    });
  peer.note(`self-join, ${peer.threads} threads; the mask is a table made while loading`);
}

async function reopen(peer) {
  const file = `${peer.folder}/duckdb.db`;
  if (!fs.existsSync(file)) {
    const made = await open(peer, `${file}.part`);
    await loadGraph(made.connection, readArcs(peer.folder));
    await made.connection.run('CHECKPOINT');
    made.connection.closeSync();
    made.instance.closeSync();
    fs.renameSync(`${file}.part`, file);
  }
  await peer.run(async () => {
    const { instance, connection } = await open(peer, file);
    const answer = await numbers(connection, 'SELECT (SELECT count(*) FROM node), count(*), sum(weight) FROM edge');
    connection.closeSync();
    instance.closeSync();
    return answer;
  });
  peer.note(`${peer.threads} threads; closing is in the time`);
}

async function main() {
  const peer = new Peer(`DuckDB ${version()}, npm @duckdb/node-api`);
  if (peer.work === 'traverse') await traverse(peer);
  if (peer.work in OVER || ['descendants', 'ancestors', 'pattern'].includes(peer.work)) await walks(peer);
  if (peer.work === 'pairs') await pairs(peer);
  if (peer.work === 'open') await reopen(peer);
  if (peer.work === 'load') {
    const arcs = readArcs(peer.folder);
    await peer.run(async () => {
      const { connection } = await open(peer, ':memory:');
      await loadGraph(connection, arcs);
      return connection;
    }, (connection) => numbers(connection, WALKS));
    peer.note('in memory, appender with data chunks, from JavaScript');
  }
  peer.finish();
}
main().catch((error) => { console.error(`peer: DuckDB: ${error.message}`); process.exit(1); });
