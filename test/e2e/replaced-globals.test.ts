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
