// Frame of the peers that are node packages, as peer.h is of those in C++: arguments,
// raw arrays, timed trials, answers. Modules are looked up through NODE_PATH.
'use strict';
const fs = require('fs');

function array(folder, name) {
  const bytes = fs.readFileSync(`${folder}/${name}`);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const Type = { u32: Uint32Array, f32: Float32Array, u8: Uint8Array }[name.split('.').pop()];
  return new Type(buffer);
}

// Directed arcs: edges of the symmetric kind (categorical, 21) both ways.
function readArcs(folder) {
  const sources = array(folder, 'sources.u32'), targets = array(folder, 'targets.u32');
  const weights = array(folder, 'weights.f32'), kinds = array(folder, 'kinds.u8');
  const arcs = { nodes: array(folder, 'nodes.u32')[0], source: [], target: [], weight: [], kind: [] };
  const add = (s, t, w, k) => { arcs.source.push(s); arcs.target.push(t); arcs.weight.push(w); arcs.kind.push(k); };
  for (let i = 0; i < sources.length; ++i) {
    add(sources[i], targets[i], weights[i], kinds[i]);
    if (kinds[i] === 21) add(targets[i], sources[i], weights[i], kinds[i]);
  }
  return arcs;
}

const seconds = (start) => Number(process.hrtime.bigint() - start) / 1e9;

class Peer {
  constructor(version) {
    const args = process.argv.slice(2);
    if (args.length !== 4) {
      console.error('usage: node peer WORK FOLDER ANSWER|- TRIALS');
      process.exit(2);
    }
    [this.work, this.folder, this.answer] = args;
    this.trials = Number(args[3]);
    this.threads = Number(process.env.PEERS_THREADS || 2);
    this.done = false;
    console.log(`version: ${version}`);
  }
  note(text) { console.log(`note: ${text}`); }
  async load(fn) {
    const start = process.hrtime.bigint();
    const loaded = await fn();
    console.log(`load: ${seconds(start)}`);
    return loaded;
  }
  async run(fn, toAnswer = (answer) => answer) {
    for (let i = 0; i < this.trials; ++i) {
      const start = process.hrtime.bigint();
      const result = await fn();
      console.log(`time: ${seconds(start)}`);
      const answer = await toAnswer(result);
      if (i === 0 && this.answer !== '-')
        fs.writeFileSync(this.answer, Buffer.from(Float64Array.from(answer).buffer));
    }
    this.done = true;
  }
  // fn(i) gives the rows [id, score] of one query.
  async queries(count, fn) {
    const each = new Float64Array(count);
    await this.run(async () => {
      const answer = [];
      for (let i = 0; i < count; ++i) {
        const start = process.hrtime.bigint();
        const rows = await fn(i);
        each[i] = seconds(start);
        answer.push(rows.length);
        for (const row of rows) answer.push(Number(row[0]), row[1]);
      }
      return answer;
    });
    each.sort();
    console.log(`query_median: ${each[count >> 1]}\nquery_p99: ${each[Math.floor(count * 0.99)]}`);
  }
  finish() {
    if (this.done) return;
    console.error(`peer: this program has no work named ${this.work}`);
    process.exitCode = 3;
  }
}

module.exports = { Peer, array, readArcs };
