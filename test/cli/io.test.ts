import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createProcessIo, supportsUnicode, wantsColor } from '../../src/cli/io.ts';

it.each<[Record<string, string>, isTerminal: boolean, color: boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ FORCE_COLOR: '' }, false, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '2' }, false, true],
  [{ FORCE_COLOR: '3' }, false, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, false, true],
])('color with the environment %o and a terminal %s is %s', (env, isTerminal, color) => {
  expect(wantsColor(env, isTerminal)).toBe(color);
});

it.each<[Record<string, string>, unicode: boolean]>([
  [{}, true],
  [{ LANG: 'de_DE.UTF-8' }, true],
  [{ LANG: 'C.utf8' }, true],
  [{ LANG: 'C' }, false],
  [{ LANG: 'de_DE' }, false],
  [{ LANG: 'de_DE.UTF-8', LC_ALL: 'POSIX' }, false],
  [{ LANG: 'C', LC_CTYPE: 'en_US.UTF-8' }, true],
])('Unicode support with the locale %o is %s', (env, unicode) => {
  expect(supportsUnicode(env)).toBe(unicode);
});

describe('createProcessIo', () => {
  const terminal = { isTTY: true, columns: 60, write: vi.fn() };
  const createIo = (streams: object, env = {}, noColor = false) =>
    createProcessIo(
      { env: { TERM: 'xterm-kitty', ...env }, ...streams } as unknown as NodeJS.Process,
      noColor,
    );

  it('only a stream that is a terminal has terminal capabilities', () => {
    const io = createIo({ stdout: {}, stderr: terminal });
    expect(io).toMatchObject({ width: Number.POSITIVE_INFINITY, color: false });
    expect(io.noteCapabilities).toMatchObject({ width: 60, color: true });
    // The last column stays free.
    io.progress?.(`1${'.'.repeat(60)}`);
    expect(terminal.write).toHaveBeenCalledWith(`\r1${'.'.repeat(58)}\x1b[K`);
    expect(createIo({ stdout: terminal, stderr: {} }).progress).toBe(null);
  });

  it('--no-color takes precedence over FORCE_COLOR', () => {
    const streams = { stdout: terminal, stderr: terminal };
    expect(createIo(streams, { FORCE_COLOR: '1' }, true)).toMatchObject({ color: false });
  });
});

describe('standard input', () => {
  const { signal } = new AbortController();
  const ioWith = (stdin: Readable) =>
    createProcessIo({ stdout: {}, stderr: {}, env: {}, stdin } as never, false);

  it('standard input is read to its end', async () => {
    const input = await ioWith(Readable.from([Buffer.from('a'), Buffer.from('b')])).readInput(2, signal);
    expect(input.toString()).toBe('ab');
  });

  it('standard input without content is refused', async () => {
    await expect(ioWith(Readable.from([])).readInput(1, signal)).rejects.toThrow('Standard input is empty.');
  });

  it('standard input without end is refused above the limit [files.standard-input]', async () => {
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(2 ** 20));
      },
    });
    await expect(ioWith(endless).readInput(2 ** 22, signal)).rejects.toMatchObject({
      code: 'usage',
      message: 'Standard input cannot be read: it is larger than 4 MB.',
    });
  });

  it('an interruption ends the wait for standard input [files.standard-input]', async () => {
    const interruption = new AbortController();
    const reading = ioWith(new PassThrough()).readInput(1, interruption.signal);
    interruption.abort();
    await expect(reading).rejects.toMatchObject({ code: 'interrupted' });
  });
});
