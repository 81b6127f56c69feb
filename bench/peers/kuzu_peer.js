// peer_kuzu: Kuzu in process (npm package kuzu), statements prepared once.
//
// traverse-walks: one variable-length match that enumerates walks. traverse: the set-based
// bar: one query per length, each hop grouped to one label a node before the next; the
// best of the four lists is taken here. Kuzu's own weighted shortest path has one label a
// node and cannot answer a question bounded in hops. load: COPY from CSV files, which are
// written outside the time. open: a database on disk.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const kuzu = require('kuzu');
const { Peer, array, readArcs } = require('./peer.js');

const HOPS = 4, TRAVERSE_TOP = 100;

function writeCsv(arcs) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plexus-kuzu-'));
  fs.writeFileSync(`${folder}/node.csv`, Array.from({ length: arcs.nodes }, (_, v) => v).join('\n') + '\n');
  fs.writeFileSync(`${folder}/edge.csv`,
    arcs.source.map((s, i) => `${s},${arcs.target[i]},${arcs.weight[i]}`).join('\n') + '\n');
  return folder;
}

function open(peer, file) {
  const database = new kuzu.Database(file);
  const connection = new kuzu.Connection(database, peer.threads);
  return { database, connection };
}

async function rows(connection, sql) {
  const result = await connection.query(sql);
  return (await result.getAll()).map(Object.values);
}

async function loadGraph(connection, csv) {
  await rows(connection, 'CREATE NODE TABLE Turn(id INT64, PRIMARY KEY(id))');
  await rows(connection, 'CREATE REL TABLE Edge(FROM Turn TO Turn, weight DOUBLE)');
  await rows(connection, `COPY Turn FROM '${csv}/node.csv'`);
  await rows(connection, `COPY Edge FROM '${csv}/edge.csv'`);
}

// Best product over walks of exactly `hops` edges, one label a node and hop.
function layers(hops) {
  let text = 'MATCH (n0:Turn {id: $start})-[e1:Edge]->(n1:Turn) WITH n1, max(e1.weight) AS s1 ';
  for (let k = 2; k <= hops; ++k)
    text += `MATCH (n${k - 1})-[e${k}:Edge]->(n${k}:Turn) WITH n${k}, max(s${k - 1} * e${k}.weight) AS s${k} `;
  return text + `WHERE n${hops}.id <> $start RETURN n${hops}.id AS id, s${hops} AS score ` +
    `ORDER BY score DESC, id LIMIT ${TRAVERSE_TOP}`;
}

const WALKS = `MATCH (a:Turn)-[e:Edge*1..${HOPS}]->(b:Turn) WHERE a.id = $start AND b.id <> $start
  RETURN b.id AS id, max(list_product(list_transform(rels(e), x -> x.weight))) AS score
  ORDER BY score DESC, id LIMIT ${TRAVERSE_TOP}`;

async function traverse(peer, enumerate) {
  const csv = writeCsv(readArcs(peer.folder)), starts = array(peer.folder, 'starts.u32');
  const { connection } = open(peer, ':memory:');
  await peer.load(() => loadGraph(connection, csv));
  fs.rmSync(csv, { recursive: true });
  const queries = [];
  for (let hops = enumerate ? HOPS : 1; hops <= HOPS; ++hops)
    queries.push(await connection.prepare(enumerate ? WALKS : layers(hops)));
  for (const query of queries)
    if (!query.isSuccess()) throw new Error(query.getErrorMessage());
  await peer.queries(starts.length, async (i) => {
    const best = new Map();
    for (const query of queries) {
      const result = await connection.execute(query, { start: starts[i] });
      for (const { id, score } of await result.getAll())
        if (!(best.get(id) >= score)) best.set(id, score);
    }
    return [...best].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, TRAVERSE_TOP);
  });
  peer.note(enumerate ? `variable-length match, enumerates walks, ${peer.threads} threads`
    : `set-based, a query a length, ${peer.threads} threads`);
}

async function counts(connection, walks) {
  const count = async (sql) => Number((await rows(connection, sql))[0][0]);
  const nodes = await count('MATCH (a:Turn) RETURN count(*)'), edges = 'MATCH (:Turn)-[e:Edge]->(:Turn) RETURN ';
  return [nodes, await count(edges + 'count(*)'),
    await count(walks ? 'MATCH (:Turn)-[:Edge]->(:Turn)-[:Edge]->(:Turn) RETURN count(*)' : edges + 'sum(e.weight)')];
}

async function reopen(peer) {
  const file = `${peer.folder}/kuzu.db`;
  if (!fs.existsSync(file)) {
    const csv = writeCsv(readArcs(peer.folder)), made = open(peer, `${file}.part`);
    await loadGraph(made.connection, csv);
    await rows(made.connection, 'CHECKPOINT');
    await made.connection.close();
    await made.database.close();
    fs.renameSync(`${file}.part`, file);
    fs.rmSync(csv, { recursive: true });
  }
  await peer.run(async () => {
    const { database, connection } = open(peer, file);
    const answer = await counts(connection, false);
    await connection.close();
    await database.close();
    return answer;
  });
  peer.note(`${peer.threads} threads; closing is in the time`);
}

async function main() {
  const peer = new Peer(`Kuzu ${kuzu.VERSION}, npm kuzu`);
  if (peer.work === 'traverse' || peer.work === 'traverse-walks') await traverse(peer, peer.work === 'traverse-walks');
  if (peer.work === 'open') await reopen(peer);
  if (peer.work === 'load') {
    const csv = writeCsv(readArcs(peer.folder));
    await peer.run(async () => {
      const { connection } = open(peer, ':memory:');
      await loadGraph(connection, csv);
      return connection;
    }, (connection) => counts(connection, true));
    fs.rmSync(csv, { recursive: true });
    peer.note('in memory, COPY from CSV files (it takes nothing else from node)');
  }
  peer.finish();
}
main().then(() => process.exit(process.exitCode || 0),
  (error) => { console.error(`peer: Kuzu: ${error.message}`); process.exit(1); });
