// The compiler agrees with every type of the explorer, and no source names another host.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { check, checks, packages, root, work } from './explorer.mjs';

const copy = join(work, 'web'), modules = dirname(dirname(packages.resolve('typescript/package.json')));
cpSync(join(root, 'tools/web/src'), join(copy, 'src'), { recursive: true });
cpSync(join(root, 'tools/web/tsconfig.json'), join(copy, 'tsconfig.json'));
symlinkSync(modules, join(copy, 'node_modules'));
execFileSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '--noEmit', '-p', copy], { stdio: 'inherit' });

for (const name of readdirSync(join(root, 'tools/web/src'))) {
  const lines = readFileSync(join(root, 'tools/web/src', name), 'utf8').split('\n');
  check(lines.length <= 400, `${name} has at most 400 lines`);
  const hosts = lines.filter(line => /https?:\/\//.test(line) && !line.includes('http://www.w3.org/2000/svg'));
  check(hosts.length === 0, `${name} names no host`, hosts);
  check(!lines.some(line => /\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|document\.write\b|\beval\(/.test(line)), `${name} writes no markup`);
}
// English stands in words.ts: no element is made with a text of its own.
for (const name of readdirSync(join(root, 'tools/web/src')).filter(one => one.endsWith('.ts') && one !== 'words.ts'))
  check(!/button\(\s*'[A-Za-z]/.test(readFileSync(join(root, 'tools/web/src', name), 'utf8')), `${name} has no button with a text of its own`);
const lock = readFileSync(join(root, 'tools/web/package-lock.json'), 'utf8');
check(!lock.includes('"resolved"'), 'the lock names no registry');
console.log(`${checks} checks`);
