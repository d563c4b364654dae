// SPDX-License-Identifier: Apache-2.0
// Builds built/replay.html, one file without runs, from source/: node build.js [OUTPUT]
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** The program and three.js as one text that no closing tag of its own ends. */
async function bundle() {
  const result = await build({
    entryPoints: [here('source/main.js')],
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

const script = await bundle();
const style = (await transform(readFileSync(here('source/page.css'), 'utf8'), { loader: 'css', minify: true })).code;
// nothing is fetched, no other script runs, and no text becomes a part of the page
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
// what is passed on with the page goes with its licence
const licence = readFileSync(here('node_modules/three/LICENSE'), 'utf8').trim().replaceAll('--', '- -');
const page = readFileSync(here('source/page.html'), 'utf8')
  .replace('{{licence}}', () => licence)
  .replace('{{policy}}', () => policy)
  .replace('{{style}}', () => style)
  .replace('{{script}}', () => script);
writeFileSync(process.argv[2] ?? here('built/replay.html'), page);
