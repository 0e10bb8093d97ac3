/** `svc receiver example`: prints or writes a receiver that passes every check. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { quoteForShell } from '../../domain/shell.ts';
import { SvcError } from '../../errors.ts';
import {
  type Framework,
  frameworks,
  type ReceiverExample,
  readReceiverExample,
} from '../../fixtures/receiver-examples.ts';
import { type ChoiceSource, toChoiceList } from '../choices/choice-source.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { choiceOption } from '../option-parsers.ts';
import { askChoice, isInteractive } from '../prompt.ts';
import { printHint } from '../render/hint.ts';
import { createWriteError } from '../write-error.ts';

interface Options {
  readonly framework?: Framework;
  readonly out?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .addOption(choiceOption('--framework <name>', 'Framework of the receiver', frameworks))
      .option('--out <folder>', 'Write the files to this folder instead of printing them'),
  examples: [
    ['Print a receiver for Express', 'receiver example --framework express'],
    ['Write a receiver for Hono to a folder', 'receiver example --framework hono --out receiver'],
  ],
  async run({ framework, out }, context) {
    const example = readReceiverExample(framework ?? (await askFramework(context)));
    if (out !== undefined) await writeFiles(example, resolve(context.cwd, out));
    context.print(example, () => (out === undefined ? renderFiles(example) : listPaths(example, out)));
    if (out !== undefined) printHint(toNextStep(example, out), context.io);
  },
};

async function askFramework(context: Context): Promise<Framework> {
  if (!isInteractive(context)) {
    throw new SvcError('usage', 'Missing option: --framework', {
      hint: `Choose one of: ${frameworks.join(', ')}`,
    });
  }
  return (await askChoice(context, 'framework', frameworkChoices)) as Framework;
}

const frameworkChoices: ChoiceSource = {
  noun: 'framework',
  plural: 'frameworks',
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

const OTHER_FOLDER_HINT = 'Pass another folder with --out.';

/** @throws SvcError `usage` when a file exists or cannot be written. */
async function writeFiles({ files }: ReceiverExample, folder: string): Promise<void> {
  const existing = files.find(({ path }) => existsSync(join(folder, path)));
  if (existing !== undefined) {
    throw new SvcError('usage', `${join(folder, existing.path)} already exists.`, {
      hint: OTHER_FOLDER_HINT,
    });
  }
  for (const { path, content } of files) {
    const file = join(folder, path);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    } catch (error) {
      throw createWriteError(file, error, OTHER_FOLDER_HINT);
    }
  }
}

/** Each file, after a comment line with its path. */
function renderFiles({ files }: ReceiverExample): string {
  return files.map(({ path, content }) => `// ${path}\n${content}`).join('\n');
}

function listPaths({ files }: ReceiverExample, out: string): string {
  return files.map(({ path }) => join(out, path)).join('\n');
}

function toNextStep({ packages, start }: ReceiverExample, out: string): string {
  return `Start it with: cd ${quoteForShell(out)} && npm install ${packages.join(' ')} && SVC_WEBHOOK_SECRET=whsec_… ${start}`;
}
