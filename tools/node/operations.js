// The library, and the rows of its operations.
'use strict';
const path = require('node:path');

const native = require(process.env.PLEXUS_NODE || path.join(__dirname, 'build', 'plexus.node'));

let known = null;
function rows() {
  known ??= JSON.parse(native.callAt(null, 'schema', '{}')).operations;
  return known;
}

// First words that several operations of two words have: ledger_recent is ledger.recent.
let words = null;
function families() {
  if (words) return words;
  const counts = new Map();
  for (const {operation} of rows()) {
    const [word, rest] = operation.split('_');
    if (rest) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return words = [...counts].filter(([, count]) => count > 1).map(([word]) => word).sort();
}

module.exports = {native, rows, families};
