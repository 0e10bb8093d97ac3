/**
 * Compares `docs/commands.md` with the help texts of all commands.
 * `npx vitest run test/cli/commands-document.test.ts --update` writes the page.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { findPackageFolder } from '../../src/platform/package-files.ts';
import { commandsByName } from '../support/command-definitions.ts';
import { toDocumentedHelp } from '../support/documented-help.ts';
import { createFakeHost } from './fake-context.ts';

const intro = `# Commands

This page contains the help text of every command. Every command also accepts the global
options below.`;

async function readHelp(...words: string[]): Promise<string> {
  const { host, capturedOutput } = createFakeHost();
  await runCommandLine([...words, '--help'], host);
  return capturedOutput.out.replace(String(findPackageFolder()), '<package>');
}

async function createSection(name: string): Promise<string> {
  const help = await readHelp(...name.split(' '));
  return `## svc ${name}\n\n\`\`\`text\n${toDocumentedHelp(help)}\n\`\`\``;
}

it('the help of every command has its own options before the global options', async () => {
  const texts = await Promise.all(Object.keys(commandsByName).map((name) => readHelp(...name.split(' '))));
  expect(texts.filter((text) => /^Global options:.*^Options:/ms.test(text))).toEqual([]);
});

it('docs/commands.md shows the help of every command', async () => {
  const overview = `\`\`\`text\n${(await readHelp()).trim()}\n\`\`\``;
  const sections = await Promise.all(Object.keys(commandsByName).map(createSection));
  const document = `${[intro, overview, ...sections].join('\n\n')}\n`;
  await expect(
    document,
    'Update the page with: npx vitest run test/cli/commands-document.test.ts --update',
  ).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/commands.md'));
});
