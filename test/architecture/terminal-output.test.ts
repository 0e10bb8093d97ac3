/**
 * All output of the command line goes through `toTerminal`. These tests check which files write to a stream, that each of their
 * functions calls `toTerminal`, and which files create terminal sequences.
 */
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProcessIo } from '../../src/cli/io.ts';

const root = join(import.meta.dirname, '../..');
const commentLine = /^\s*(?:\/\/|\/?\*).*$/gm;
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('src/dashboard/'));

function listUsers(pattern: RegExp): string[] {
  const isUser = (path: string) =>
    pattern.test(readFileSync(join(root, path), 'utf8').replace(commentLine, ''));
  return sources.filter(isUser).sort();
}

/** Characters that a terminal can interpret or hide. */
const HOSTILE = '\x1b[31m\x1b]0;title\x07\x9b2J\u0085\u202e\u2066\u200b\u2060\ufeff\u{e0041}\r';
const OURS = /\x1b\[(?:\d+;1H|2K|K|\?\d+[hl])|\r(?=[^\n]*\x1b\[K)/g;
const UNSAFE = /(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}]/u;

function createTerminal() {
  let written = '';
  const output = () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
    stream.on('data', (chunk) => {
      written += chunk;
    });
    return stream;
  };
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const host = Object.assign(new EventEmitter(), {
    ...{ stdin, stdout: output(), stderr: output(), env: { TERM: 'xterm' }, pid: 1, kill: () => {} },
  });
  const io = createProcessIo(host as unknown as NodeJS.Process, false);
  return { io, take: () => written };
}

describe('the output of the command line', () => {
  it('only io.ts writes to standard output or standard error [output.one-place]', () => {
    // `.on` belongs to the streams of a child process.
    expect(listUsers(/\bstd(?:out|err)\b\??\.(?:write|end)\b|\bprocess\.std(?:out|err)\b(?!\.on\b)/)).toEqual(
      ['src/cli/io.ts'],
    );
  });

  it('only src/cli/prompt.ts opens prompts', () => {
    expect(listUsers(/@inquirer/)).toEqual(['src/cli/prompt.ts']);
  });

  it('only the tunnel reads the lines of a child process', () => {
    expect(listUsers(/node:readline/)).toEqual(['src/http/tunnel.ts']);
  });

  it('only io.ts creates terminal sequences, and two files recognize those of chalk', () => {
    expect(listUsers(/\\x1b|\\u001b|\\u\{1b\}|\\033|fromCharCode\(27/i)).toEqual([
      'src/cli/io.ts',
      'src/cli/render/text-width.ts',
      'src/cli/terminal-text.ts',
    ]);
  });

  it('only render/style.ts uses chalk, and marks its text as our own style', () => {
    expect(
      listUsers(/from '(?:chalk|picocolors|kleur|ansi-\w+)'|styleText|\bapplyStyle\b.*terminal-text/),
    ).toEqual(['src/cli/render/style.ts']);
  });

  it('every function of Io escapes hostile characters [output.one-place]', async () => {
    const { io, take } = createTerminal();
    const writers = {
      write: io.write,
      note: io.note,
      progress: io.progress,
    };
    // Add a new function of Io above.
    const functions = Object.entries(io).filter(([, value]) => typeof value === 'function');
    expect(functions.map(([name]) => name).sort()).toEqual(
      ['noteJson', 'readInput', ...Object.keys(writers)].sort(),
    );
    for (const write of Object.values(writers)) await write?.(`data ${HOSTILE}`);
    const output = take();
    expect(output.match(/data \\x1b\[31m/g)).toHaveLength(Object.keys(writers).length);
    expect(output.replace(OURS, '')).not.toMatch(UNSAFE);
    io.noteJson({ text: HOSTILE });
    const line = take().slice(output.length);
    expect(line.trimEnd()).not.toMatch(UNSAFE);
    expect(JSON.parse(line)).toEqual({ text: HOSTILE });
  });
});
