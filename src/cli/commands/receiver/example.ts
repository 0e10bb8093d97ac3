import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { quoteForShell } from '../../../domain/shell.ts';
import { SvcError } from '../../../errors.ts';
import {
  type Framework,
  frameworks,
  type ReceiverExample,
  readReceiverExample,
} from '../../../fixtures/receiver-examples.ts';
import { type ChoiceSource, toChoiceList } from '../../choices/choice-source.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { choiceOption } from '../../option-parsers.ts';
import { askChoice } from '../../prompt.ts';
import { printHint } from '../../render/hint.ts';

interface Options {
  readonly framework?: Framework;
  readonly out?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .addOption(choiceOption('--framework <name>', 'what it is written with', frameworks))
      .option('--out <folder>', 'write the files into this folder'),
  examples: ['receiver example --framework express', 'receiver example --framework hono --out receiver'],
  run,
};

const frameworkChoices: ChoiceSource = {
  noun: 'framework',
  list: async () =>
    toChoiceList(
      frameworks.map(readReceiverExample),
      [
        { title: 'FRAMEWORK', value: ({ framework }) => framework },
        { title: 'PACKAGES', value: ({ packages }) => packages.join(' ') },
      ],
      ({ framework }) => framework,
    ),
};

async function run({ framework, out }: Options, context: Context): Promise<void> {
  const example = readReceiverExample(
    framework ?? ((await askChoice(context, 'framework', frameworkChoices)) as Framework),
  );
  if (out !== undefined) await writeFiles(example, resolve(context.cwd, out));
  context.print(example, () => (out === undefined ? toListing(example) : listPaths(example, out)));
  if (out !== undefined) printHint(toNextStep(example, out), context.io);
}

/** @throws SvcError `usage` when one of them is there already, or cannot be written. */
async function writeFiles({ files }: ReceiverExample, folder: string): Promise<void> {
  const there = files.find(({ path }) => existsSync(join(folder, path)));
  if (there !== undefined) throw createWriteError(`${there.path} is there already.`);
  for (const { path, content } of files) {
    const file = join(folder, path);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    } catch (error) {
      throw createWriteError(`${path} cannot be written: ${(error as Error).message}.`);
    }
  }
}

function createWriteError(message: string): SvcError {
  return new SvcError('usage', message, { hint: 'Write to another folder.' });
}

/** All files in one text, each under a line with its path. */
function toListing({ files }: ReceiverExample): string {
  return files.map(({ path, content }) => `// ${path}\n${content}`).join('\n');
}

function listPaths({ files }: ReceiverExample, out: string): string {
  return files.map(({ path }) => join(out, path)).join('\n');
}

function toNextStep({ packages, start }: ReceiverExample, out: string): string {
  return `cd ${quoteForShell(out)} && npm install ${packages.join(' ')} && SVC_WEBHOOK_SECRET=whsec_… ${start}`;
}
