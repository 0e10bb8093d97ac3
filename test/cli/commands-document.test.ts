/** `docs/commands.md` is what the program says of itself: `npx vitest run test/cli/commands-document.test.ts --update`. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { commandsByName } from '../support/command-definitions.ts';
import { createFakeHost } from './fake-context.ts';

const intro = `# Commands

Made from the program's own help; a test holds it against that. Every command also takes the global options below.`;

/** The global options stand once, at the top. */
const GLOBAL_OPTIONS = /\nGlobal options:\n(?: .*\n)+/;

async function readHelp(...words: string[]): Promise<string> {
  const { host, capturedOutput } = createFakeHost();
  await runCommandLine([...words, '--help'], host);
  return capturedOutput.out;
}

async function createSection(name: string): Promise<string> {
  const help = await readHelp(...name.split(' '));
  return `## svc ${name}\n\n\`\`\`text\n${help.replace(GLOBAL_OPTIONS, '').trim()}\n\`\`\``;
}

it('documents every command as its help does', async () => {
  const overview = `\`\`\`text\n${(await readHelp()).trim()}\n\`\`\``;
  const sections = await Promise.all(Object.keys(commandsByName).map(createSection));
  const document = `${[intro, overview, ...sections].join('\n\n')}\n`;
  await expect(document).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/commands.md'));
});
