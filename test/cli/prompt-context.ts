/** A terminal in memory, in which tests answer prompts. */
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { createFakeContext, type FakeOptions } from './fake-context.ts';

export const ENTER = '\r';
export const DOWN = '\x1b[B';
export const CTRL_C = '\x03';

/** A context with a terminal that simulates key presses. */
export function createPromptContext(fake: FakeOptions = {}) {
  const input = new PassThrough();
  // A prompt ends its output, but the next one needs it, as with a terminal.
  const output = Object.assign(new PassThrough(), { end: () => output });
  let screen = '';
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  const { context, capturedOutput } = createFakeContext({ ...fake, prompt: { input, output } });
  /** Presses keys after the text appears on the screen. */
  async function press(keys: string, after: string | RegExp): Promise<void> {
    await expect.poll(() => stripVTControlCharacters(screen)).toMatch(after);
    screen = '';
    input.write(keys);
  }
  return { context, recorded: capturedOutput, press, screenText: () => screen };
}
