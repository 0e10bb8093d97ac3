import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withProgress } from '../../src/cli/progress.ts';
import { createFakeContext, type FakeOptions } from './fake-context.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs withProgress for 25 seconds and returns the standard error output. */
async function work(options: FakeOptions = {}) {
  const { context, capturedOutput } = createFakeContext(options);
  let looks = 0;
  const done = new Promise((resolve) => setTimeout(resolve, 25_000, 'done'));
  const shown = withProgress(context, async () => `Look ${++looks}`, done);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await shown).toBe('done');
  await vi.advanceTimersByTimeAsync(60_000);
  return capturedOutput.err;
}

describe('withProgress', () => {
  it('progress is not printed without a terminal', async () => {
    expect(await work()).toBe('');
  });

  it('progress in a terminal is one line that changes and is cleared at the end', async () => {
    const lines: string[] = [];
    expect(await work({ progress: (line) => lines.push(line) })).toBe('');
    expect(lines.slice(0, 2)).toEqual(['Look 1', 'Look 2']);
    expect(lines.at(-1)).toBe('');
  });
});
