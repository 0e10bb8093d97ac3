import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { createTempFolder, runProgram } from './cli-program.ts';

const library = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href;

/** Runs a program that uses the build, and returns what it prints as JSON. */
async function run(program: string) {
  const { cwd, remove } = createTempFolder();
  const args = ['--input-type=module', '--eval', program];
  try {
    const { stdout } = await runProgram(process.execPath, args, { cwd, reject: true });
    return JSON.parse(stdout);
  } finally {
    remove();
  }
}

it('fuzzReceiver sends its requests although an HTTP mock replaced http.request after the import', async () => {
  const result = await run(`
    import http from 'node:http';
    import { createReceiver, fuzzReceiver } from '${library}';
    let mocked = 0;
    const { request } = http;
    http.request = (...args) => {
      mocked++;
      return request(...args);
    };
    const receiver = await createReceiver(204);
    await fuzzReceiver(receiver.url, { secret: 'whsec_c3ZjLWV4cGxvcmUtZTJl', runs: 1, only: ['duplicate'] });
    console.log(JSON.stringify({ mocked, received: receiver.requests.length > 0 }));
    await receiver.close();
  `);
  expect(result).toEqual({ mocked: 0, received: true });
});

it('the library delivers an event without the fetch of Node.js', async () => {
  const result = await run(`
    import { createEmulator, createReceiver } from '${library}';
    const receiver = await createReceiver(204);
    const emulator = await createEmulator();
    await emulator.webhooks.create({ url: receiver.url });
    await emulator.trigger('order.shipped');
    await receiver.waitFor(1);
    console.log(JSON.stringify(process.moduleLoadList));
    await emulator.close();
    await receiver.close();
  `);
  expect(result).toContain('NativeModule http');
  expect(result).not.toContain('NativeModule internal/deps/undici/undici');
});
