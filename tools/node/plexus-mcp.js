#!/usr/bin/env node
// The MCP server on standard input and output: `plexus serve --mcp` with the arguments given.
'use strict';
const {spawnSync} = require('node:child_process');
const path = require('node:path');

const program = process.env.PLEXUS_PROGRAM || path.join(__dirname, 'build', 'plexus');
const {status, error} = spawnSync(program, ['serve', '--mcp', ...process.argv.slice(2)],
                                  {stdio: 'inherit'});
if (error) console.error(`plexus-mcp: ${error.message}`);
process.exit(status ?? 1);
