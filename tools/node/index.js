// Plexus for Node: every operation is a method that returns a promise; index.d.ts has the types.
'use strict';
const {native, rows, families} = require('./operations.js');

Symbol.dispose ??= Symbol('Symbol.dispose');
Symbol.asyncDispose ??= Symbol('Symbol.asyncDispose');

// BigInts, such as sequences, are numbers in a request; without one no function is called.
function requestOf(parameters = {}) {
  try {
    return JSON.stringify(parameters);
  } catch {
    return JSON.stringify(parameters, (_name, value) =>
      typeof value === 'bigint' ? Number(value) : value);
  }
}

// Runs work(cancel), where `cancel` is a handle that the signal sets; 0: none.
async function withSignal(signal, work) {
  if (!signal) return work(0);
  const cancel = native.cancelNew();
  const stop = () => native.cancelSet(cancel);
  signal.addEventListener('abort', stop, {once: true});
  if (signal.aborted) stop();
  try {
    return await work(cancel);
  } finally {
    signal.removeEventListener('abort', stop);
    native.cancelFree(cancel);
  }
}

// A blob and offsets.
function stringsOf(texts) {
  if (texts === undefined) return [null, null];
  const encoder = new TextEncoder();
  const parts = Array.from(texts, (text) => encoder.encode(text));
  const offsets = new BigUint64Array(parts.length + 1);
  const blob = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  parts.forEach((part, i) => {
    blob.set(part, at);
    at += part.length;
    offsets[i + 1] = BigInt(at);
  });
  return [blob, offsets];
}

function textsOf({offsets, bytes}) {
  const decoder = new TextDecoder();
  return Array.from({length: offsets.length - 1}, (_, i) =>
    decoder.decode(bytes.subarray(Number(offsets[i]), Number(offsets[i + 1]))));
}

const lost = new FinalizationRegistry((free) => free());

class Snapshot {
  #handle;
  constructor(handle) {
    this.#handle = handle;
    lost.register(this, () => native.snapshotFree(handle), this);
  }
  async keys(ids) {
    if (ids?.length === 0) return [];
    return textsOf(await native.keys(this.#handle, ids));
  }
  async column(name) {
    const found = await native.column(this.#handle, name);
    return {nodes: found.nodes, values: found.values ?? textsOf(found)};
  }
  async pagerank({damping = 0.85, iterations = 0, weighted = true, signal} = {}) {
    return withSignal(signal, async (cancel) =>
      (await native.pagerank(this.#handle, damping, iterations, weighted ? 0 : 1, cancel)).scores);
  }
  csr({kind, incoming = false} = {}) {
    return native.csr(this.#handle, kind, incoming ? 1 : 0);
  }
  async vectors(space) {
    return {dimensions: 1, ...await native.space(this.#handle, space)};
  }
  close() {
    lost.unregister(this);
    native.snapshotFree(this.#handle);
  }
  [Symbol.dispose]() {
    this.close();
  }
}

class Graph {
  #handle;
  #closed = false;
  constructor(handle) {
    this.#handle = handle;
    lost.register(this, () => native.closeSync(handle), this);
    for (const family of families()) this[family] = {};
    for (const {operation} of rows()) {
      const method = (parameters, options) => this.#call(operation, parameters, options);
      const [word, rest] = [operation.split('_')[0], operation.slice(operation.indexOf('_') + 1)];
      if (families().includes(word)) this[word][rest] = method;
      else this[operation] = method;
    }
  }
  async #call(operation, parameters, {signal} = {}) {
    const request = requestOf(parameters);
    const text = await withSignal(signal, (cancel) =>
      native.call(this.#handle, operation, request, cancel));
    return text.startsWith('{') ? JSON.parse(text) : text;
  }
  callSync(operation, parameters) {
    return JSON.parse(native.callSync(this.#handle, operation, requestOf(parameters)));
  }
  get sequence() {
    return native.sequence(this.#handle);
  }
  get closed() {
    return this.#closed;
  }
  // A second call does nothing.
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    lost.unregister(this);
    await native.close(this.#handle);
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
  [Symbol.dispose]() {
    if (this.#closed) return;
    this.#closed = true;
    lost.unregister(this);
    native.closeSync(this.#handle);
  }
  refresh() {
    native.refresh(this.#handle);
  }
  // As it is, or as it was: a sequence or a time as as_of takes it.
  snapshot({asOf} = {}) {
    return new Snapshot(native.snapshot(this.#handle, asOf === undefined ? null : String(asOf)));
  }
  async importBytes(content, parameters, {signal} = {}) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return JSON.parse(await withSignal(signal, (cancel) =>
      native.importBytes(this.#handle, requestOf(parameters), bytes, cancel)));
  }
  importRecords(records, parameters, options) {
    let lines = '';
    for (const record of records) lines += requestOf(record) + '\n';
    return this.importBytes(lines, {format: 'jsonl', ...parameters}, options);
  }
  async putEdges({sources, targets, keys, ids = false, kind, weights, signal}) {
    const ends = ids ? 2 : keys ? 1 : 0;
    return withSignal(signal, (cancel) => native.putEdges(
      this.#handle, sources, targets, ends, weights, ...stringsOf(keys), kind, cancel));
  }
  async putVectors({values, dimensions, keys, space, metric, signal}) {
    return withSignal(signal, (cancel) => native.putVectors(
      this.#handle, values, dimensions, ...stringsOf(keys), space, metric, cancel));
  }
  async *changes({since = 0, follow = false, most = 100} = {}) {
    for (;;) {
      const page = JSON.parse(await native.changes(this.#handle, since, most));
      yield* page.changes;
      since = page.next;
      if (page.more) continue;
      if (!follow) return;
      while (Number(this.#closed ? -1 : this.sequence) === since) {
        try {
          await native.wait(this.#handle, since, 500);
        } catch {
          return;
        }
      }
      if (this.#closed) return;
    }
  }
}

// Opens the graph in a directory, which is made where it is missing.
function open(directory, {create = true, readOnly = false, lockWaitMs = 0} = {}) {
  if (typeof directory !== 'string')
    throw Object.assign(new TypeError('path is not a string'), {code: 'invalid_argument'});
  return new Graph(native.open(directory, create && !readOnly, readOnly, lockWaitMs));
}

// An empty graph in RAM, which is gone when it is closed, and has no history.
function inMemory() {
  return new Graph(native.open(null, false, false, 0));
}

function callAt(directory, operation, parameters) {
  return JSON.parse(native.callAt(directory, operation, requestOf(parameters)));
}

module.exports = {open, inMemory, callAt, Graph, Snapshot};
