/** The output of the built program in a terminal, in a pipe and as a stream. test/cli/command-output.test.ts compares that of every command. */
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPage } from '../support/documents.ts';
import { createReceiver } from '../support/test-receiver.ts';
import {
  binary,
  createTempFolder,
  runProgram,
  startEmulator,
  svc,
  svcArgs,
  svcFile,
  svcInProcess,
} from './cli-program.ts';

const { cwd, remove } = createTempFolder();

beforeAll(async () => {
  const receiver = await createReceiver();
  const options = ['--db', ':memory:', '--freeze', '--forward-to', receiver.url];
  const { stop } = await startEmulator(cwd, options);
  await svcInProcess(['trigger', 'order.shipped', '--wait'], { cwd });
  return () => Promise.all([stop(), receiver.close()]).then(remove);
});

it('svc --help prints the first block of docs/commands.md', async () => {
  const { stdout } = await svc(['--help'], { cwd });
  // The single executable has no folder of documents.
  const page = readPage('docs/commands.md').replace(
    binary === null ? /$^/ : / {2}Read the documentation.*\n/,
    '',
  );
  const help = stdout.replace(/(?<=documentation: ).*(?=[\\/]docs)/, '<package>').trim();
  expect(page).toContain(`\n\n\`\`\`text\n${help}\n\`\`\`\n`);
});

describe('output of svc deliveries list', () => {
  // The clock is frozen: the output is the same in each run.
  const args = ['deliveries', 'list'];
  const plain = async (env: Record<string, string> = {}, flags: string[] = []) =>
    (await svcInProcess([...args, ...flags], { cwd, env })).stdout;

  it.skipIf(process.platform !== 'linux')(
    'the text is the same in a terminal and in a pipe, except for colors',
    async () => {
      const command = [svcFile, ...svcArgs, ...args].map((word) => `'${word}'`).join(' ');
      const terminal = await runProgram('script', ['-qec', `stty cols 500; ${command}`, '/dev/null'], {
        ...{ cwd, env: { TERM: 'xterm' } },
      });
      expect(terminal.stdout).toContain('\x1b[');
      expect(stripVTControlCharacters(terminal.stdout).replaceAll('\r', '').trim()).toBe(
        (await plain()).trim(),
      );
    },
  );

  it('the output in a pipe has colors only with FORCE_COLOR, and never with --no-color', async () => {
    const text = await plain();
    const colored = await plain({ FORCE_COLOR: '1' });
    expect(text).not.toContain('\x1b');
    expect(colored).toContain('\x1b[32m✓ succeeded');
    // Everything else is identical.
    expect(stripVTControlCharacters(colored)).toBe(text);
    expect(await plain({ FORCE_COLOR: '1' }, ['--no-color'])).toBe(text);
    expect(await plain({ NO_COLOR: '1' })).toBe(text);
  });
});
