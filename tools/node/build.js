// Puts plexus.node, the library, the program and index.d.ts into build/: from the build of the tree
// that PLEXUS_BUILD names, else from build/release, which CMake makes.
'use strict';
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const tree = path.resolve(__dirname, '..', '..');
const given = process.env.PLEXUS_BUILD;
const from = given ? path.resolve(given) : path.join(tree, 'build', 'release');
if (!given && path.join(tree, 'tools', 'node') !== __dirname) {
  if (fs.existsSync(path.join(__dirname, 'build', 'plexus.node'))) process.exit(0);  // packed
  console.error('plexus: set PLEXUS_BUILD to a build of Plexus; its tree is not here');
  process.exit(1);
}
if (!given) {
  const run = (words) => execFileSync('cmake', words, {cwd: tree, stdio: 'inherit'});
  if (!fs.existsSync(path.join(from, 'CMakeCache.txt')))
    run(['--preset', 'release', '-DPLEXUS_BUILD_TESTS=OFF', '-DPLEXUS_BUILD_BENCH=OFF']);
  run(['--build', from, '--target', 'plexus_node', 'plexus_cli']);
}
const to = path.join(__dirname, 'build');
fs.mkdirSync(to, {recursive: true});
for (const [file, name] of [
  ['tools/node/plexus.node', 'plexus.node'],
  ['tools/c/libplexus.so.0', 'libplexus.so.0'],
  ['tools/plexus', 'plexus'],
]) {
  const target = path.join(to, name);
  fs.rmSync(target, {force: true});
  fs.copyFileSync(path.join(from, file), target);
  try {
    execFileSync('strip', ['--strip-unneeded', target], {stdio: 'ignore'});
  } catch {
    // without strip the files are larger
  }
}
require('./generate.js').write(path.join(__dirname, 'index.d.ts'));
