import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../src/cli/context.ts';
import { printHint } from '../../src/cli/report-error.ts';
import { createFakeHost, type FakeOptions, runLine } from './fake-context.ts';

/** The lines of standard error, parsed as JSON. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

function openJson(options: FakeOptions = {}) {
  const { host, capturedOutput } = createFakeHost(options);
  return { context: createContext(host, { json: true }), recorded: capturedOutput };
}

describe('commands with --json', () => {
  it('each note on standard error is one JSON object on one line, without color', () => {
    const { context, recorded } = openJson({ capabilities: { color: true } });
    context.io.note('Two\nlines\n');
    printHint('Try again.', context.io);
    expect(linesOf(recorded.err)).toEqual([
      { note: { message: 'Two\nlines' } },
      { note: { message: 'hint: Try again.' } },
    ]);
  });

  it('progress and prompts are disabled, even in a terminal', () => {
    const prompt = { input: new PassThrough(), output: new PassThrough() };
    const { context } = openJson({ prompt, progress: () => expect.unreachable() });
    const { interactive, progress } = context.io;
    expect({ interactive, progress }).toEqual({ interactive: false, progress: null });
  });

  it.each([
    ['an unknown command', ['--json', 'evnts']],
    ['a group without a verb', ['--json', 'events']],
    ['an unknown option', ['events', 'list', '--limt', '5', '--json']],
    ['a missing argument', ['events', 'get', '--json']],
    ['no emulator', ['events', 'list', '--json', '--url', 'http://127.0.0.1:9']],
    ['an invalid option value', ['events', 'list', '--json', '--limit', 'x']],
  ])('standard error has one JSON object after %s', async (_, args) => {
    const prompt = { input: new PassThrough(), output: new PassThrough() };
    const { exitCode, err } = await runLine(args, { prompt });
    expect(exitCode).not.toBe(0);
    expect(linesOf(err)).toEqual([
      { error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }) },
    ]);
  });
});
