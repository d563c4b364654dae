// SPDX-License-Identifier: Apache-2.0
// The blocks of the page that hold the run: letters of base64 around deflated bytes.

/** Elements of the blocks with a name, in the order of the page. */
export function findBlocks(name) {
  return [...document.querySelectorAll('script.block')].filter((each) => each.dataset.name === name);
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** The bytes of a block, which is then forgotten: a page should not hold them twice. */
export async function readBlock(element) {
  const packed = fromBase64(element.textContent);
  element.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
