// SPDX-License-Identifier: Apache-2.0
// Builds built/replay.html and built/live.html, files without runs, from source/: node build.js [FOLDER]
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** A program of source/ and three.js as one text that no closing tag of its own ends. */
async function bundle(program) {
  const result = await build({
    entryPoints: [here(`source/${program}`)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'inline',
    write: false,
  });
  return result.outputFiles[0].text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const read = (name) => readFileSync(here(name), 'utf8');
const minify = async (css) => (await transform(css, { loader: 'css', minify: true })).code;

/** nothing is fetched, no other script runs, and no text becomes a part of the page */
function policyOf(script, style, { evaluated = '', types = "'none'", more = [] }) {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}${evaluated}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${types}`,
    ...more,
  ].join('; ');
}

async function write(name, { program, css, part, rules }) {
  const script = await bundle(program);
  const style = await minify(css);
  // what is passed on with the page goes with its licence
  const licence = read('node_modules/three/LICENSE').trim().replaceAll('--', '- -');
  const page = read('source/page.html')
    .replace('{{licence}}', () => licence)
    .replace('{{policy}}', () => policyOf(script, style, rules))
    .replace('{{style}}', () => style)
    .replace('{{part}}', () => part)
    .replace('{{script}}', () => script);
  writeFileSync(`${process.argv[2] ?? here('built')}/${name}`, page);
}

const css = read('source/page.css');
await write('replay.html', { program: 'main.js', css, part: '', rules: {} });
// the worker is a text of the page too; WebAssembly is compiled, and no more is
await write('live.html', {
  program: 'live.js',
  css: css + read('source/live.css'),
  part: read('source/live.html'),
  rules: { evaluated: " blob: 'wasm-unsafe-eval'", types: 'cairn-worker', more: ['worker-src blob:'] },
});
