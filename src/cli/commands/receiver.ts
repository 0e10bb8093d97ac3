/**
 * `svc receiver check` and `example`: checks a receiver against the receiver rules, and prints or writes an example that passes,
 * or tests of webhooks.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Hint, SvcError } from '../../domain/errors.ts';
import { quoteForShell } from '../../domain/shell.ts';
import {
  listFrameworks,
  type ReceiverExample,
  readReceiverExample,
  readTestExample,
  type TestExample,
  testFrameworks,
} from '../../fixtures/receiver-examples.ts';
import { receiverRules } from '../../receivers/receiver-check.ts';
import { runChecks } from '../../receivers/run-checks.ts';
import { EventType } from '../../resources/values.ts';
import type { ChoiceSource } from '../choices/choice-source.ts';
import type { CommandGroup } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { writeText } from '../file-access.ts';
import { parseList, parseReceiverUrl } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { askChoice } from '../prompt.ts';
import { createSamples, printReport, receiverRows, resolveReceiverOptions } from '../receiver-options.ts';
import { renderReport } from '../render/receiver-report.ts';
import { renderFields } from '../render/table.ts';
import { printHint } from '../report-error.ts';

const RULES = renderFields(
  Object.fromEntries(
    Object.entries(receiverRules).map(([name, { reference, summary }]) => [
      `  ${name}`,
      `${summary} (${reference})`,
    ]),
  ),
  { color: false },
);

const NOTES = `
Rules, each with several checks, and their sections in the service description:
${RULES}

The checks send about 130 deliveries with generated events, or about 280 with --observe. Run them against a receiver
whose data you can afford to lose. Some checks need to know what the receiver did with a delivery. For these, pass
--observe with a URL or a command that returns the side effects, such as rows in a table: their IDs or their number.
Without it, these checks are inconclusive, which is a failure only with --strict, or if no check passes.`;

/** Exit code 1 if the report is not ok. */
export const check = defineCommand({
  options: {
    url: { argument: '<url>', summary: 'Port or URL of the receiver', parse: parseReceiverUrl },
    rule: {
      option: '--rule <name>',
      summary: 'Rule or check to run; repeatable',
      parse: parseList,
      defaultText: 'all',
    },
    eventType: {
      option: '--event-type <type>',
      summary: 'Event type to send, with the payload of its fixture',
      schema: EventType,
      defaultText: "the sender's example, such as order.shipped",
    },
    strict: { option: '--strict', summary: 'Exit with code 1 if a check is inconclusive' },
    ...receiverRows,
  },
  notes: NOTES,
  examples: [
    [
      'Check the signature and the responses of a receiver',
      'receiver check localhost:3000/webhooks --secret whsec_…',
    ],
    [
      'Check its side effects too, with a URL that returns {"count": n}',
      'receiver check 3000/webhooks --observe http://localhost:3000/count',
    ],
    [
      'Check its side effects with a command that prints a number',
      'receiver check 3000/webhooks --observe \'sqlite3 -cmd ".timeout 5000" app.db "select count(*) from jobs"\'',
    ],
    ['Run one rule and one check only', 'receiver check 3000/webhooks --rule raw-body --rule timestamp.old'],
  ],
  async run(options, context) {
    const { url, eventType } = options;
    const receiverOptions = await resolveReceiverOptions(url, options, context);
    const { sender } = receiverOptions;
    const [event] = await createSamples(
      eventType === undefined ? 'example' : [eventType],
      { sender },
      context,
    );
    const { values } = await context.resolveConfig();
    let progressBar = renderProgressBar(0, 1);
    const report = await withProgress(
      context,
      async () => `Checking ${url}  ${progressBar}`,
      runChecks({
        ...receiverOptions,
        event,
        apiKey: values.apiKey,
        only: options.rule ?? [],
        strict: options.strict ?? false,
        onProgress(done, total, current) {
          progressBar = `${renderProgressBar(done, total)}  ${current ?? ''}`;
        },
      }),
    );
    const render = () => renderReport(report, context.io);
    return printReport('svc receiver check', url, report, render, options.junit, context);
  },
});

const frameworkChoices: ChoiceSource = {
  noun: 'framework',
  plural: 'frameworks',
  listHint: `Choose one of: ${listFrameworks().join(', ')}`,
  list: async () =>
    listFrameworks()
      .map(readReceiverExample)
      .map(({ framework, packages }) => ({ value: framework, description: packages.join(' ') })),
};

export const example = defineCommand({
  options: {
    framework: {
      option: '--framework <name>',
      summary: 'Framework or language of the receiver',
      choices: listFrameworks(),
    },
    tests: {
      option: '--tests <framework>',
      summary: 'Print tests of webhooks for this test framework instead of a receiver',
      choices: testFrameworks,
      conflicts: ['framework'],
    },
    out: {
      option: '--out <folder>',
      summary: 'Write the files to this folder instead of printing them',
    },
  },
  examples: [
    ['Print a receiver for Express', 'receiver example --framework express'],
    ['Write a receiver in Python to a folder', 'receiver example --framework python --out receiver'],
    ['Write tests with pytest to a folder', 'receiver example --tests pytest --out tests'],
  ],
  async run({ framework, tests, out }, context) {
    const example =
      tests === undefined
        ? readReceiverExample(framework ?? (await askChoice(context, '--framework <name>', frameworkChoices)))
        : readTestExample(tests);
    if (out !== undefined) await writeFiles(example, resolve(context.cwd, out));
    context.print(example, () =>
      out === undefined ? renderFiles(example) : example.files.map(({ path }) => join(out, path)).join('\n'),
    );
    if (out !== undefined) printHint(toNextStep(example, out), context.io);
  },
});

type Example = ReceiverExample | TestExample;

const OTHER_FOLDER_HINT = 'Pass another folder with --out.';

/** @throws SvcError `usage` when a file exists or cannot be written. */
async function writeFiles({ files }: Example, folder: string): Promise<void> {
  const existing = files.find(({ path }) => existsSync(join(folder, path)));
  if (existing !== undefined) {
    throw new SvcError('usage', `${join(folder, existing.path)} already exists.`, {
      hint: OTHER_FOLDER_HINT,
    });
  }
  for (const { path, content } of files) {
    await writeText(join(folder, path), content, OTHER_FOLDER_HINT);
  }
}

/** A single file unchanged, or each file after a comment line with its path. */
function renderFiles({ files }: Example): string {
  const [first, ...others] = files;
  if (first !== undefined && others.length === 0) return first.content.trimEnd();
  const comment = /\.(?:py|rb)$/.test(first?.path ?? '') ? '#' : '//';
  return files.map(({ path, content }) => `${comment} ${path}\n${content}`).join('\n');
}

function toNextStep(example: Example, out: string): Hint {
  if ('tests' in example) {
    const [{ path }] = example.files;
    return { text: 'Run them', command: example.start.replace(path, quoteForShell(join(out, path))) };
  }
  const steps = [
    `cd ${quoteForShell(out)}`,
    example.install,
    'export SVC_WEBHOOK_SECRET=whsec_…',
    example.start,
  ];
  return { text: 'Start it', command: steps.filter((step) => step !== null).join(' && ') };
}

export const receiver: CommandGroup = {
  commands: {
    check: { summary: 'Check a receiver against the webhook rules', ...check },
    fuzz: {
      summary: 'Search for a delivery sequence that a receiver handles incorrectly',
      load: async () => ({ command: (await import('./receiver-fuzz.ts')).fuzz }),
    },
    example: { summary: 'Print an example receiver that passes every check', ...example },
  },
};
