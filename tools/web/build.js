// Bundles the explorer into one page, and writes it as explorer.html and page.cc into the folder
// that holds node_modules. Usage: node build.js FOLDER
//
// Script and style are inside the page; its policy names them by their digests. The licences of
// what is bundled are inside, too.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? here);
const { build } = createRequire(join(out, 'node_modules/'))('esbuild');
const source = name => join(here, 'src', name);

const options = {
  bundle: true, write: false, minify: true, metafile: true, format: 'iife', target: 'es2022',
  legalComments: 'none', logLevel: 'warning', nodePaths: [join(out, 'node_modules')],
  absWorkingDir: out,
};
const worker = await build({ ...options, entryPoints: [source('layout_worker.ts')] });
const app = await build({
  ...options, entryPoints: [source('main.ts')],
  define: { LAYOUT_WORKER: JSON.stringify(worker.outputFiles[0].text) },
});
const style = readFileSync(source('style.css'), 'utf8');

// Name, version, licence and its text of each package in the bundles.
function licences() {
  const folders = new Set();
  for (const { metafile } of [worker, app])
    for (const input of Object.keys(metafile.inputs)) {
      const found = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (found) folders.add(found[1]);
    }
  return [...folders].sort().map(name => {
    const folder = join(out, 'node_modules', name);
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    return `${name} ${about.version} (${about.license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  }).join('\n\n');
}

// A script element ends at "</script", whatever the text means there.
const inside = text => text.replace(/<\/(script|style|template)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
const escaped = text => text.replace(/[&<>]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
const digest = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = inside(app.outputFiles[0].text.trim());
const css = style.trim();
const policy = [
  "default-src 'none'", `script-src ${digest(script)}`, `style-src ${digest(css)}`,
  "connect-src 'self'", 'img-src data: blob:', 'worker-src blob:', "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const fill = { POLICY: policy, STYLE: css, SCRIPT: script, LICENCES: escaped(licences()) };
const page = readFileSync(source('page.html'), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name) => fill[name]);
if (page.split('"PLEXUS-DATA"').length !== 2) throw new Error('the page has not exactly one place for data');
writeFileSync(join(out, 'explorer.html'), page);

// Pieces, because a compiler limits the length of a literal; octal has a fixed length.
const bytes = Buffer.from(page, 'utf8');
const literal = [...bytes].map(b => b === 34 || b === 92 ? `\\${String.fromCharCode(b)}`
  : b >= 32 && b < 127 && b !== 63 ? String.fromCharCode(b) : `\\${b.toString(8).padStart(3, '0')}`);
const lines = [];
for (let at = 0; at < literal.length; at += 4096) lines.push(`    "${literal.slice(at, at + 4096).join('')}"`);
writeFileSync(join(out, 'page.cc'), `// Written by tools/web/build.js.
#include "tools/operations/files/explorer_page.h"

namespace plexus::tools {

std::string_view ExplorerPage() {
  static constexpr char kPage[] =
${lines.join('\n')};
  return {kPage, sizeof kPage - 1};
}

}  // namespace plexus::tools
`);
