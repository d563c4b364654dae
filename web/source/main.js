// SPDX-License-Identifier: Apache-2.0
// The page of cairn export: reads the run from its blocks and shows it.
import { App, tell } from './app.js';
import { Replay } from './run.js';

function pause() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function start() {
  const run = await Replay.open();
  let more = await run.readMore();
  if (run.frames.length === 0) {
    tell('There is no frame in this page.');
    return;
  }
  const app = new App(run);
  tell('');
  document.documentElement.dataset.state = 'open';
  // for programs that drive the page, and its tests
  window.cairnReplay = app;
  while (more) {
    await pause();
    more = await run.readMore();
  }
  app.complete();
  document.documentElement.dataset.state = 'complete';
}

start().catch((error) => {
  console.error(error);
  const missing = typeof DecompressionStream === 'undefined';
  tell(
    missing
      ? 'This browser is too old: the page needs DecompressionStream (2023).'
      : `The run cannot be shown: ${error.message}`,
  );
});
