import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openScreen, type ScreenProcess, type ScreenSize } from '../../../src/cli/live/screen.ts';

/** A process with a terminal that records its output. */
class FakeHost extends EventEmitter implements ScreenProcess {
  readonly pid = 1;
  readonly killed: unknown[] = [];
  isRaw = false;
  written = '';
  readonly input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => {
      this.isRaw = isRaw;
    },
  });
  readonly output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });

  constructor() {
    super();
    this.output.on('data', (chunk) => {
      this.written += chunk;
    });
  }

  get stdin() {
    return this.input as never;
  }

  get stdout() {
    return this.output as never;
  }

  kill(...args: unknown[]): void {
    this.killed.push(args);
  }

  resize(columns: number, rows: number): void {
    Object.assign(this.output, { columns, rows });
    this.output.emit('resize');
  }

  /** Returns and clears the recorded output. */
  take(): string {
    const { written } = this;
    this.written = '';
    return written;
  }
}

function open() {
  const host = new FakeHost();
  const keys: string[] = [];
  const sizes: ScreenSize[] = [];
  const screen = openScreen(host, {
    onKey: (key) => keys.push(key),
    onResize: (size) => sizes.push(size),
  });
  return { host, keys, sizes, screen };
}

const ENTERED = /\x1b\[\?1049h.*\x1b\[\?25l/;
const LEFT = /\x1b\[\?25h\x1b\[\?1049l$/;

describe('openScreen', () => {
  it('the screen takes over the terminal and restores it when it closes', () => {
    const { host, screen } = open();
    expect(host.isRaw).toBe(true);
    expect(host.take()).toMatch(ENTERED);
    screen.close();
    expect(host.isRaw).toBe(false);
    expect(host.take()).toMatch(LEFT);
    expect(host.input.isPaused()).toBe(true);
    expect(host.eventNames()).toEqual([]);
    expect([host.input.listenerCount('keypress'), host.output.listenerCount('resize')]).toEqual([0, 0]);
  });

  it('the terminal is restored when the process exits', () => {
    const { host } = open();
    host.emit('exit');
    expect(host.isRaw).toBe(false);
    expect(host.take()).toMatch(LEFT);
  });

  it('keys are reported by their character or name', async () => {
    const { host, keys } = open();
    host.input.write('jG? \r\x1b[A\x1b[B\x1b[5~\x1b[6~\x1b[H\x1b[F\x03');
    await new Promise(setImmediate);
    expect(keys).toEqual([
      ...['j', 'G', '?', ' ', 'enter', 'up', 'down', 'pageup', 'pagedown', 'home', 'end', 'ctrl-c'],
    ]);
  });

  it('a character outside ASCII and an unknown escape sequence are reported without a name', async () => {
    const { host, keys } = open();
    host.input.write('ü\x1b[99~');
    await new Promise(setImmediate);
    expect(keys).toEqual(['', '']);
  });

  it('the screen writes only changed lines', () => {
    const { host, screen } = open();
    screen.draw(['one', 'two']);
    host.take();
    screen.draw(['one', 'three']);
    expect(host.take()).toBe('\x1b[2;1H\x1b[2Kthree');
  });

  it('a resize is reported, and the next draw writes every line', () => {
    const { host, screen, sizes } = open();
    screen.draw(['one', 'two']);
    host.resize(60, 10);
    expect(sizes).toEqual([{ columns: 60, rows: 10 }]);
    host.take();
    screen.draw(['one', 'two']);
    expect(host.take()).toContain('one');
  });

  it('the screen closes when Ctrl-Z suspends the process and opens again when it resumes', async () => {
    const { host, keys, sizes, screen } = open();
    host.take();
    host.input.write('\x1a');
    await new Promise(setImmediate);
    expect(host.killed).toEqual([[1, 'SIGTSTP']]);
    expect(host.take()).toMatch(LEFT);
    screen.draw(['in the way of the shell']);
    expect(host.take()).toBe('');
    host.emit('SIGCONT');
    expect(host.take()).toMatch(ENTERED);
    expect(host.isRaw).toBe(true);
    expect(sizes).toHaveLength(1);
    expect(keys).toEqual([]);
  });
});
