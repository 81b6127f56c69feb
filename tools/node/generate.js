// index.d.ts, made of the rows of the operations.
'use strict';
const fs = require('node:fs');
const {rows, families} = require('./operations.js');

const TYPES = {string: 'string', integer: 'number', number: 'number', boolean: 'boolean'};

function typeOf(schema) {
  if (schema.type === 'array') return 'string | string[]';
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  return TYPES[schema.type];
}

// Rows whose reply is another one with, and without, a parameter.
const REPLIES = {
  export: {'output: string': 'Reply', '': 'Uint8Array'},
  stats: {'metrics: true': 'string', '': 'Reply'},
};

function method(row, name, indent) {
  const required = new Set(row.request.required);
  const fields = Object.entries(row.request.properties).map(([parameter, schema]) => {
    const words = schema.description.replaceAll('*/', '* /');
    return `${indent}  /** ${words} */\n` +
      `${indent}  ${parameter}${required.has(parameter) ? '' : '?'}: ${typeOf(schema)};\n`;
  });
  const optional = required.size > 0 ? '' : '?';
  const {'': reply, ...others} = REPLIES[row.operation] ?? {'': 'Reply'};
  const first = Object.entries(others).map(([parameter, other]) =>
    `${indent}${name}(parameters: {${parameter}; [more: string]: unknown},` +
    ` options?: CallOptions): Promise<${other}>;\n`);
  return `${first.join('')}${indent}/** ${row.summary}. */\n` +
    `${indent}${name}(parameters${optional}: {\n` +
    `${fields.join('')}${indent}}, options?: CallOptions): Promise<${reply}>;\n`;
}

function declarations() {
  let text = fs.readFileSync(require.resolve('./head.d.ts'), 'utf8');
  text += '\nexport interface Operations {\n';
  const named = families();
  for (const family of named) {
    text += `  readonly ${family}: {\n`;
    for (const row of rows())
      if (row.operation.startsWith(`${family}_`))
        text += method(row, row.operation.slice(family.length + 1), '    ');
    text += '  };\n';
  }
  for (const row of rows())
    if (!named.includes(row.operation.split('_')[0])) text += method(row, row.operation, '  ');
  return text + '}\n';
}

exports.declarations = declarations;
exports.write = (file) => fs.writeFileSync(file, declarations());
