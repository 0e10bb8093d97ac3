/** The help of the built program. `test/cli/commands-document.test.ts` compares the help of every command with docs/commands.md. */
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { createFakeHost } from '../cli/fake-context.ts';
import { readPage } from '../support/documents.ts';
import { binary, createTempFolder, svc } from './cli-program.ts';

const empty = createTempFolder();
afterAll(empty.remove);

describe('help', () => {
  const help = async (...words: string[]) => {
    const { stdout } = await svc([...words, '--help'], { cwd: empty.cwd });
    return stdout.replace(/(?<=documentation: ).*(?=[\\/]docs)/, '<package>');
  };

  it('svc --help prints the first block of docs/commands.md', async () => {
    // The single executable has no folder of documents.
    const page = readPage('docs/commands.md').replace(
      binary === null ? /$^/ : / {2}Read the documentation.*\n/,
      '',
    );
    expect(page).toContain(`\n\n\`\`\`text\n${(await help()).trim()}\n\`\`\`\n`);
  });

  it.each(['deliveries replay', 'emulator start'])(
    'svc %s --help of the built program prints the same as the source',
    async (name) => {
      const { host, capturedOutput } = createFakeHost();
      await runCommandLine([...name.split(' '), '--help'], host);
      expect(await help(...name.split(' '))).toBe(capturedOutput.out);
    },
  );
});
