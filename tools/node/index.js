// Plexus for Node: every operation is a method that returns a promise; index.d.ts has the types.
'use strict';
const {setTimeout: sleep} = require('node:timers/promises');
const {isMainThread} = require('node:worker_threads');

const {native, rows, families} = require('./operations.js');

Symbol.dispose ??= Symbol('Symbol.dispose');
Symbol.asyncDispose ??= Symbol('Symbol.asyncDispose');

function refused(message, more) {
  return Object.assign(new Error(message), {code: 'invalid_argument', ...more});
}

// What is spelled wrong is not left out.
function noMore(of, rest) {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw refused(`${of} has no ${name}`);
}

function numberOf(name, value) {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw refused(`${name} is ${value}, which JSON has not`);
  if (typeof value !== 'bigint') return value;
  if (!Number.isSafeInteger(Number(value)))
    throw refused(`${value} is beyond the numbers of JSON; putColumn takes a BigInt64Array`);
  return Number(value);
}

// BigInts, such as sequences, are numbers in a request. No function is called where the text has
// no null, which NaN becomes.
function requestOf(parameters = {}) {
  let text;
  try {
    text = JSON.stringify(parameters);
  } catch {
    // With a BigInt, or no JSON.
  }
  try {
    if (text === undefined || text.includes('null')) text = JSON.stringify(parameters, numberOf);
  } catch (error) {
    throw error.code ? error : refused(`the request is no JSON: ${error.message}`);
  }
  if (text === undefined) throw refused('the request is no object');
  return text;
}

function aborted({reason}) {
  return Object.assign(new Error('the operation was aborted', {cause: reason}),
                       {name: 'AbortError', code: 'cancelled'});
}

// Runs work(cancel), where `cancel` is a handle that the signal sets; 0: none. What the signal cut
// short is an AbortError; what was done before is answered.
async function withSignal(signal, work) {
  if (signal === undefined || signal === null) return work(0);
  if (!(signal instanceof AbortSignal)) throw refused('signal is not an AbortSignal');
  if (signal.aborted) throw aborted(signal);
  const cancel = native.cancelNew();
  const stop = () => native.cancelSet(cancel);
  signal.addEventListener('abort', stop, {once: true});
  try {
    return await work(cancel);
  } catch (error) {
    throw signal.aborted && error.code === 'cancelled' ? aborted(signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
    native.cancelFree(cancel);
  }
}

// The bytes of a file instead of a reply.
function isFile(operation, parameters) {
  return operation === 'export' && !parameters?.output;
}

// Metrics are a text.
function valueOf(text, signal) {
  if (typeof text !== 'string' || !text.startsWith('{')) return text;
  const reply = JSON.parse(text);
  if (signal?.aborted && reply.truncated) throw aborted(signal);
  return reply;
}

// A blob and offsets.
function stringsOf(texts, name) {
  if (texts === undefined || texts === null) return [null, null];
  if (typeof texts === 'string' || typeof texts[Symbol.iterator] !== 'function')
    throw refused(`${name} is not a list of strings`);
  const parts = Array.from(texts);
  const offsets = new BigUint64Array(parts.length + 1);
  let at = 0;
  parts.forEach((part, i) => {
    if (typeof part !== 'string' || /\p{Surrogate}/u.test(part))
      throw refused(`${name}[${i}] is not ${typeof part === 'string' ? 'Unicode' : 'a string'}`);
    at += Buffer.byteLength(part);
    offsets[i + 1] = BigInt(at);
  });
  return [Buffer.from(parts.join('')), offsets];
}

function textsOf({offsets, bytes}) {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  return Array.from({length: offsets.length - 1}, (_, i) =>
    decoder.decode(bytes.subarray(Number(offsets[i]), Number(offsets[i + 1]))));
}

// What is registered must not keep its owner: no function that is made in a constructor or method.
const lost = new FinalizationRegistry(({free, handle}) => {
  try {
    free(handle)?.catch(() => {});
  } catch {
    // It is too late to say so.
  }
});

class Snapshot {
  #handle;
  #closed = false;
  constructor(handle) {
    this.#handle = handle;
    lost.register(this, {free: native.snapshotFree, handle}, this);
  }
  // Methods wait themselves, so that a snapshot is not lost while a thread works for it.
  async keys(ids) {
    if (ids?.length === 0) return [];
    return textsOf(await native.keys(this.#handle, ids));
  }
  async column(name) {
    const found = await native.column(this.#handle, name);
    return {nodes: found.nodes, values: found.values ?? textsOf(found)};
  }
  async pagerank({damping = 0.85, iterations = 0, weighted = true, signal, ...rest} = {}) {
    noMore('pagerank', rest);
    return await withSignal(signal, async (cancel) =>
      (await native.pagerank(this.#handle, damping, iterations, weighted ? 0 : 1, cancel)).scores);
  }
  async csr({kind, incoming = false, ...rest} = {}) {
    noMore('csr', rest);
    return await native.csr(this.#handle, kind, incoming ? 1 : 0);
  }
  async vectors(space) {
    return {dimensions: 1, ...await native.space(this.#handle, space)};
  }
  // A second call does nothing.
  close() {
    if (this.#closed) return;
    this.#closed = true;
    lost.unregister(this);
    native.snapshotFree(this.#handle);
  }
  [Symbol.dispose]() {
    this.close();
  }
}

class Graph {
  #handle;
  #closed;  // a promise
  constructor(handle) {
    this.#handle = handle;
    lost.register(this, {free: native.close, handle}, this);
    for (const family of families()) this[family] = {};
    for (const {operation} of rows()) {
      const method = (parameters, options) => this.#call(operation, parameters, options);
      const [word, rest] = [operation.split('_')[0], operation.slice(operation.indexOf('_') + 1)];
      if (families().includes(word)) this[word][rest] = method;
      else this[operation] = method;
    }
  }
  async #call(operation, parameters, options) {
    const request = requestOf(parameters), signal = options?.signal;
    const text = await withSignal(signal, (cancel) =>
      native.call(this.#handle, operation, request, cancel, +isFile(operation, parameters)));
    return valueOf(text, signal);
  }
  callSync(operation, parameters) {
    return valueOf(native.callSync(this.#handle, operation, requestOf(parameters),
                                   +isFile(operation, parameters)));
  }
  get sequence() {
    return native.sequence(this.#handle);
  }
  get closed() {
    return this.#closed !== undefined;
  }
  // Every call waits until it is closed.
  close() {
    if (this.#closed) return this.#closed;
    lost.unregister(this);
    return this.#closed = native.close(this.#handle);
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
  [Symbol.dispose]() {
    if (this.#closed) return;
    this.#closed = Promise.resolve();
    lost.unregister(this);
    native.closeSync(this.#handle);
  }
  refresh() {
    native.refresh(this.#handle);
  }
  // As it is, or as it was: a sequence or a time as as_of takes it.
  snapshot({asOf, ...rest} = {}) {
    noMore('snapshot', rest);
    return new Snapshot(native.snapshot(this.#handle, asOf === undefined ? null : String(asOf)));
  }
  async importBytes(content, parameters, {signal} = {}) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const reply = JSON.parse(await withSignal(signal, (cancel) =>
      native.importBytes(this.#handle, requestOf(parameters), bytes, cancel)));
    if (reply.stopped) throw refused(reply.messages[0], {reply});
    return reply;
  }
  importRecords(records, parameters, options) {
    let lines = '';
    for (const record of records) lines += requestOf(record) + '\n';
    return this.importBytes(lines, {format: 'jsonl', ...parameters}, options);
  }
  async putEdges({sources, targets, keys, ids = false, kind, weights, signal, ...rest} = {}) {
    noMore('putEdges', rest);
    if (keys && ids) throw refused('keys and ids exclude each other');
    const ends = ids ? 2 : keys ? 1 : 0;
    return await withSignal(signal, (cancel) => native.putEdges(
      this.#handle, sources, targets, ends, weights, ...stringsOf(keys, 'keys'), kind, cancel));
  }
  async putVectors({values, dimensions, keys, space, metric, signal, ...rest} = {}) {
    noMore('putVectors', rest);
    return await withSignal(signal, (cancel) => native.putVectors(
      this.#handle, values, dimensions, ...stringsOf(keys, 'keys'), space, metric, cancel));
  }
  // A column of many nodes; "text" is their texts.
  async putColumn({column, values, keys, ids, kind, signal, ...rest} = {}) {
    noMore('putColumn', rest);
    const texts = Array.isArray(values) ? values : undefined;
    const whole = values instanceof BigInt64Array;
    return await withSignal(signal, (cancel) => native.putColumn(
      this.#handle, column, values?.length ?? 0, ...stringsOf(keys, 'keys'), ids,
      texts || whole ? null : values, whole ? values : null, ...stringsOf(texts, 'values'), kind,
      cancel));
  }
  // It looks now and then: a thread that waits would be one of the few that operations have.
  async *changes({since = 0, follow = false, most = 100, ...rest} = {}) {
    noMore('changes', rest);
    for (;;) {
      let page;
      try {
        page = JSON.parse(await native.changes(this.#handle, since, most));
      } catch (error) {
        if (follow && this.closed) return;
        throw error;
      }
      yield* page.changes;
      since = page.next;
      if (page.more) continue;
      if (!follow) return;
      do {
        await sleep(10);
        if (this.closed) return;
      } while (Number(this.sequence) === since);
    }
  }
}

// Opens the graph in a directory, which is made where it is missing.
function open(directory, {create = true, readOnly = false, lockWaitMs = 0, ...rest} = {}) {
  if (typeof directory !== 'string')
    throw Object.assign(new TypeError('path is not a string'), {code: 'invalid_argument'});
  noMore('open', rest);
  for (const [name, value] of [['create', create], ['readOnly', readOnly]])
    if (typeof value !== 'boolean') throw refused(`${name} is not a boolean`);
  if (!Number.isSafeInteger(lockWaitMs) || lockWaitMs < 0)
    throw refused('lockWaitMs is not a whole number >= 0');
  return new Graph(
    native.open(directory, create && !readOnly, readOnly, lockWaitMs, !isMainThread));
}

// An empty graph in RAM, which is gone when it is closed, and has no history.
function inMemory() {
  return new Graph(native.open(null, false, false, 0, !isMainThread));
}

function callAt(directory, operation, parameters) {
  return valueOf(native.callAt(directory, operation, requestOf(parameters),
                               +isFile(operation, parameters)));
}

module.exports = {open, inMemory, callAt, Graph, Snapshot};
