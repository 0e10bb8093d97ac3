/** `svc fixtures`: lists, shows and checks event fixtures and scripts, and runs scripts. */
import { relative, resolve } from 'node:path';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { formatCount, suggestMatch } from '../../domain/message-parts.ts';
import { readEmbedded } from '../../fixtures/fixture-folders.ts';
import {
  checkFolders,
  type FixtureCheckResult,
  type FixtureFile,
  listFixtureFiles,
} from '../../fixtures/fixture-index.ts';
import { getContentOrThrow, listFixturePaths, readFixtureFile } from '../../fixtures/read-fixture.ts';
import { readScript, type Script, scriptFixtureKind } from '../../fixtures/script-fixtures.ts';
import { readTextFile } from '../../platform/read-data-file.ts';
import {
  fixtureChoices,
  fixtureColumns,
  listDescribedFixtures,
  scriptChoices,
} from '../choices/fixture-choices.ts';
import type { CommandGroup } from '../command.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { workspaceRow } from '../option-rows.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleFor } from '../render/style.ts';
import { printPage } from '../render/table.ts';
import { resolveFixtureFolders } from '../resolve-fixture-folders.ts';
import { runScript, type StepReport, serializeStepReport, toStepLabel } from '../run-script.ts';
import { randomSeedRow, resolveTemplateContexts } from '../seed-option.ts';

export const list = defineCommand({
  examples: [['List the event fixtures and scripts, your own and the built-in ones', 'fixtures list']],
  async run(_options, context) {
    const data = await listDescribedFixtures(context);
    const page = { data, has_more: false, end_cursor: data.at(-1)?.name ?? null };
    await printPage(context, page, 'fixtures', fixtureColumns);
  },
});

export const show = defineCommand({
  options: { name: { argument: '<name>', summary: 'Event type or script name', source: fixtureChoices } },
  examples: [
    ['Show the fixture of an event type', 'fixtures show order.shipped'],
    [
      'Start your own script from a built-in one',
      'fixtures show order-lifecycle > fixtures/scripts/my-orders.json',
    ],
  ],
  async run({ name }, context) {
    const files = listFixtureFiles(await resolveFixtureFolders(context));
    const fixtureFile = files.find((file) => file.name === name);
    if (fixtureFile === undefined) {
      const names = files.map((file) => file.name);
      throw new SvcError('not_found', `Fixture ${name} does not exist.`, {
        hint: suggestMatch(name, names) ?? { text: 'List the fixtures', command: 'svc fixtures list' },
      });
    }
    const { kind, source, overrides, file } = fixtureFile;
    if (context.json && source === 'project') getContentOrThrow(readFixtureFile(resolve(context.cwd, file)));
    const text = readContent(fixtureFile, context.cwd);
    // The content is inserted as text, because parsing rounds numbers above 2^53.
    const fields = JSON.stringify({ name, kind, source, overrides, file }).slice(1, -1);
    context.printJsonText(`{${fields},"content":${text}}`, () => text);
  },
});

/** That of a built-in fixture is without `$schema`, whose path is relative to this package. */
function readContent({ file, source }: FixtureFile, cwd: string): string {
  const text = readEmbedded(file) ?? readTextFile(resolve(cwd, file));
  return source === 'built_in' ? text.replace(/^ *"\$schema": .*\n/m, '') : text;
}

export const validate = defineCommand({
  examples: [['Check every fixture', 'fixtures validate']],
  async run(_options, { cwd, ...context }) {
    const result = checkFolders(await resolveFixtureFolders(context));
    const ok = result.problems.length === 0;
    context.print({ ok, ...result }, () => renderCheckResult(result, cwd));
    return ok ? ExitCode.success : ExitCode.usage;
  },
});

function renderCheckResult({ checked, problems }: FixtureCheckResult, cwd: string): string {
  const lines = problems.map(({ file, message }) => `${toShortPath(file, cwd)}: ${message}`);
  const count = problems.length === 0 ? 'no problems' : formatCount(problems.length, 'problem');
  return [...lines, `Checked ${formatCount(checked, 'file')} and found ${count}.`].join('\n');
}

/** Relative to the working folder if the file is inside it. */
function toShortPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') ? file : path;
}

export const run = defineCommand({
  options: {
    script: {
      argument: '<script>',
      summary: 'Script name, or path of a script file',
      source: scriptChoices,
    },
    workspace: workspaceRow,
    randomSeed: randomSeedRow,
  },
  examples: [
    ['Run a built-in script', 'fixtures run order-lifecycle'],
    ['Use the same values every time', 'fixtures run order-lifecycle --random-seed 7'],
    ['Run a script file and print its steps as JSON', 'fixtures run ./checks/refund.json --json'],
  ],
  async run(options, context) {
    const script = await getScript(options.script, context);
    const reporter = createReporter(script, context);
    const steps = runScript(script, {
      templateContexts: await resolveTemplateContexts(options, context),
      payloadField: (await context.getStatus()).payload_field,
      signal: context.signal,
      api: await context.connectApi(),
      control: await context.connect(),
      workspaceId: options.workspace,
    });
    try {
      for await (const report of steps) reporter.addStep(report);
    } finally {
      reporter.end();
    }
    return reporter.hasSucceeded() ? ExitCode.success : ExitCode.failure;
  },
});

async function getScript(nameOrPath: string, context: Context): Promise<Script> {
  const folders = await resolveFixtureFolders(context);
  const files = listFixturePaths(scriptFixtureKind, folders);
  // The names of scripts have neither a slash nor a dot.
  const isPath = /[/\\]|\.json$/.test(nameOrPath);
  const file = isPath ? resolve(context.cwd, nameOrPath) : files.get(nameOrPath);
  if (file !== undefined) return readScript(file, folders);
  const names = [...files.keys()];
  throw new SvcError('not_found', `Script ${nameOrPath} does not exist.`, {
    hint: suggestMatch(nameOrPath, names) ?? `Use one of: ${names.join(', ')}.`,
  });
}

/** Prints each step after it ran. With `--json`, prints one document at the end. */
function createReporter({ name, file, steps }: Script, context: Context) {
  const { json, io } = context;
  const labelWidth = Math.max(...steps.map((step) => toStepLabel(step).length));
  const reports: StepReport[] = [];
  const hasSucceeded = () => reports.length === steps.length && reports.every(({ ok }) => ok);
  return {
    hasSucceeded,
    addStep(report: StepReport) {
      reports.push(report);
      if (!json) io.write(renderStep(report, labelWidth, io));
    },
    end() {
      if (reports.length === 0) return;
      if (json) {
        // The results are inserted as text, because parsing rounds numbers above 2^53.
        const fields = JSON.stringify({ script: name, file, ok: hasSucceeded() }).slice(1, -1);
        const steps = reports.map(serializeStepReport).join();
        context.printJsonText(`{${fields},"steps":[${steps}]}`, () => '');
      } else if (!hasSucceeded()) io.note(`Stopped at step ${reports.length} of ${steps.length}.`);
    },
  };
}

/** `✓ paid  payment.succeeded  evt_…`, further lines below it. `labelWidth` is the width of the widest label. */
function renderStep(
  { step, ok, lines }: StepReport,
  labelWidth: number,
  capabilities: TerminalCapabilities,
): string {
  const [done, failed] = capabilities.unicode ? ['✓', '✗'] : ['ok', 'no'];
  const style = styleFor(capabilities);
  const symbol = ok ? style.green(done) : style.red(failed);
  const indent = ' '.repeat(`${done} `.length + labelWidth + '  '.length);
  return `${symbol} ${toStepLabel(step).padEnd(labelWidth)}  ${lines.join(`\n${indent}`)}`;
}

export const command: CommandGroup = {
  commands: {
    list: { summary: 'List event fixtures and scripts', ...list },
    show: { summary: 'Show a fixture', ...show },
    run: { summary: 'Run a script of events, clock moves and checks', ...run },
    import: {
      summary: 'Create fixtures from recorded events',
      load: () => import('./fixtures-import.ts'),
    },
    validate: { summary: 'Validate fixture files', ...validate },
  },
};
