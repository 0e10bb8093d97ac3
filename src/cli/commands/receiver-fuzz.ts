/** `svc receiver fuzz`: plays random delivery sequences against a receiver, and shrinks one that breaks a rule. */
import { randomInt } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { createStateFolder } from '../../config/run-file.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import { createRandomSource } from '../../domain/secret.ts';
import { quoteForShell } from '../../domain/shell.ts';
import { DEFAULT_RUNS, MAX_RUNS, MAX_SEED, selectVariations, variations } from '../../domain/variations.ts';
import { findFixture, listFixtures } from '../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { fillTemplates } from '../../fixtures/template.ts';
import { createTemplateContexts } from '../../fixtures/template-contexts.ts';
import { readTextFile } from '../../platform/read-data-file.ts';
import { type FuzzOptions, type FuzzReport, fuzz as fuzzReceiver } from '../../receivers/fuzz/fuzz.ts';
import type { FuzzProgress } from '../../receivers/fuzz/fuzz-session.ts';
import {
  createRestartError,
  runRestartCommand,
  waitUntilListening,
} from '../../receivers/fuzz/restart-receiver.ts';
import { fuzzRules, sideEffectRules } from '../../receivers/play-rules.ts';
import { type DeliverySequence, type EventTemplate, parseSequenceText } from '../../receivers/sequence.ts';
import { createSideEffectReader } from '../../receivers/side-effect-reader.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { assertFileWritable, writeText } from '../file-access.ts';
import { parseDurationMs, parseList, parseReceiverUrl, wholeNumberParser } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { askText } from '../prompt.ts';
import { addReceiverOptions, type ReceiverOptions, resolveReceiverOptions } from '../receiver-options.ts';
import { renderFuzzReport } from '../render/fuzz-report.ts';
import { JUNIT_FILE_HINT } from '../render/junit.ts';
import { renderReceiverJUnit } from '../render/receiver-report.ts';
import { renderFields } from '../render/table.ts';
import { printHint } from '../report-error.ts';

interface FuzzCommandOptions extends ReceiverOptions {
  readonly url?: string;
  readonly runs?: number;
  /** Milliseconds. */
  readonly time?: number;
  readonly randomSeed?: number;
  readonly events?: readonly string[];
  readonly observe?: string;
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  readonly restartCommand?: string;
  readonly replay?: string;
  readonly save?: string;
  readonly junit?: string;
}

const SAVE_HINT = 'Choose a writable file with --save.';

const NOTES = `
Rules and their sections in the service description:
${indentFields(Object.fromEntries(Object.entries(fuzzRules).map(([name, { summary, reference }]) => [name, `${summary} (${reference})`])))}

Variations, for --only and --without:
${indentFields(variations)}

A sequence is a list of deliveries and variations. Use a receiver whose data you can afford to lose. The rules
no-side-effect, processed, once and order need --observe. The URL or command must return {"ids": […]}, the data.id of each
side effect, or {"count": n}. Return IDs if you can, so that the report names the event.`;

function indentFields(fields: Readonly<Record<string, string>>): string {
  const indented = Object.entries(fields).map(([name, text]) => [`  ${name}`, text]);
  return renderFields(Object.fromEntries(indented), { color: false });
}

/** Exit code 1 if a sequence broke a rule. */
export const fuzz: CommandDefinition<FuzzCommandOptions> = {
  configure: (command) =>
    addReceiverOptions(
      command
        .argument('[url]', 'Port or URL of the receiver', parseReceiverUrl)
        .optionWithDefault(
          '--runs <n>',
          'Number of sequences',
          String(DEFAULT_RUNS),
          wholeNumberParser(1, MAX_RUNS),
        )
        .option(
          '--time <duration>',
          'Keep playing sequences for this long, instead of --runs',
          parseDurationMs,
        )
        .optionWithDefault(
          '--random-seed <n>',
          'Seed that generates the same sequences again',
          'random',
          wholeNumberParser(0, MAX_SEED),
        )
        .optionWithDefault(
          '-e, --events <list>',
          'Event types to send, with the payloads of their fixtures, separated by commas',
          'all',
          parseList,
        )
        .option(
          '--observe <url|command>',
          'URL or command that returns the side effects, as {"ids": […]} or {"count": n}',
        )
        .optionWithDefault('--only <variations>', 'Variations to use, separated by commas', 'all', parseList)
        .option('--without <variations>', 'Variations to leave out, separated by commas', parseList)
        .option(
          '--restart-command <command>',
          'Command that restarts the receiver, to run between deliveries',
        )
        .option('--replay <file>', 'Play the sequence in this file')
        .optionWithDefault(
          '--save <file>',
          'File for the smallest sequence that breaks a rule',
          'a file in .svc',
        )
        .option('--junit <file>', 'File to write a JUnit report to'),
    ).addHelpText('after', NOTES),
  examples: [
    [
      'Search for a delivery sequence that a receiver handles incorrectly',
      'receiver fuzz 3000/webhooks --secret whsec_… --observe http://localhost:3000/side-effects',
    ],
    ['Search for 60 seconds', 'receiver fuzz 3000/webhooks --time 60s'],
    [
      'Restart the receiver between deliveries',
      "receiver fuzz 3000/webhooks --restart-command 'docker compose restart web'",
    ],
    ['Write a JUnit report for CI', 'receiver fuzz 3000/webhooks --time 60s --junit receiver.xml'],
    ['Play a saved sequence again', 'receiver fuzz 3000/webhooks --replay .svc/sequence-1-14.json'],
    [
      'Use only duplicate and concurrent deliveries as variations',
      'receiver fuzz 3000/webhooks --only duplicate,concurrent',
    ],
  ],
  run: runFuzz,
};

async function runFuzz(options: FuzzCommandOptions, context: Context): Promise<ExitCode> {
  const { replay: file } = options;
  const replay =
    file === undefined ? null : parseSequenceText(readTextFile(resolve(context.cwd, file)), file);
  const url = options.url ?? (await askText(context, 'url', parseReceiverUrl));
  const fuzzOptions = await toFuzzOptions(url, replay, options, context);
  if (options.save !== undefined) assertFileWritable(resolve(context.cwd, options.save), SAVE_HINT);
  const junitPath = options.junit === undefined ? null : resolve(context.cwd, options.junit);
  if (junitPath !== null) assertFileWritable(junitPath, JUNIT_FILE_HINT);
  const readSideEffects =
    options.observe === undefined
      ? null
      : createSideEffectReader(options.observe, { ...fuzzOptions, cwd: context.cwd });
  const startedAt = performance.now();
  let progress: FuzzProgress = { phase: 'searching', runs: 0, requests: 0, steps: null };
  const report = await withProgress(
    context,
    async () => describeProgress(progress, fuzzOptions, performance.now() - startedAt),
    fuzzReceiver({
      ...fuzzOptions,
      readSideEffects,
      onProgress: (current) => {
        progress = current;
      },
    }),
  );
  context.print(report, () => renderFuzzReport(report, context.io));
  await saveFailure(report, fuzzOptions, options, context);
  if (junitPath !== null)
    await writeText(junitPath, renderReceiverJUnit('svc receiver fuzz', report, url), JUNIT_FILE_HINT);
  if (report.interrupted) return ExitCode.interrupted;
  return report.failure === null ? ExitCode.success : ExitCode.failure;
}

/** The options of the fuzz run that exist before `readSideEffects`, which is created with some of them. */
type OptionsWithoutReader = Omit<FuzzOptions, 'readSideEffects' | 'onProgress'>;

async function toFuzzOptions(
  url: string,
  replay: DeliverySequence | null,
  options: FuzzCommandOptions,
  context: Context,
): Promise<OptionsWithoutReader> {
  const { restartCommand, runs, time, randomSeed, events, only, without } = options;
  const { cwd, signal } = context;
  const resolved = await resolveReceiverOptions(url, options, context);
  const { projectFolder } = await context.resolveConfig();
  if (restartCommand === undefined) {
    if (replay?.steps.some(({ kind }) => kind === 'restart'))
      throw createRestartError('The sequence restarts the receiver, so it needs --restart-command.');
    if (only?.includes('restart')) throw createRestartError('The variation restart needs --restart-command.');
  }
  const seed = randomSeed ?? replay?.random_seed ?? randomInt(MAX_SEED);
  const restart = async () => {
    await runRestartCommand(restartCommand ?? '', { cwd, signal });
    await waitUntilListening(url, signal);
  };
  return {
    ...resolved,
    replay,
    randomSeed: seed,
    variations: selectVariations(only, without),
    runs: runs ?? (time === undefined ? DEFAULT_RUNS : null),
    timeMs: time ?? null,
    events: createEvents(events, seed, projectFolder, context),
    restart: restartCommand === undefined ? null : restart,
  };
}

/** The templates of fixtures are filled with the values of the random seed. */
function createEvents(
  types: readonly string[] | undefined,
  randomSeed: number,
  projectFolder: string,
  { env, now }: Context,
): readonly EventTemplate[] {
  const folders = fixtureFolders(projectFolder);
  const templateContexts = createTemplateContexts({ env, random: createRandomSource(randomSeed), now });
  const requested = types?.length ? types : listFixtures(folders).map(({ type }) => type);
  return requested.map((type) => {
    const fixture = findFixture(type, folders);
    if (fixture !== null) return { type, payload: fillTemplates(fixture.template, templateContexts.next()) };
    throw new SvcError('not_found', `Fixture ${type} does not exist.`, {
      hint: { text: 'List the fixtures', command: 'svc fixtures list' },
    });
  });
}

function describeProgress(
  { phase, runs, requests, steps }: FuzzProgress,
  { url, runs: totalRuns, timeMs, replay }: OptionsWithoutReader,
  elapsedMs: number,
): string {
  const sent = formatDeliveryCount(requests);
  if (phase === 'shrinking') return `Found a failure in ${url}. Removing steps: ${steps} left, ${sent}`;
  if (phase === 'confirming')
    return `Playing the smallest sequence again: ${formatCount(steps ?? 0, 'step')}`;
  if (replay) return `Playing the sequence against ${url}, ${sent}`;
  const elapsed = formatDuration(Math.floor(elapsedMs / SECOND_MS) * SECOND_MS);
  const time = timeMs === null ? '' : ` in ${elapsed} of ${formatDuration(timeMs)}`;
  const count = totalRuns === null ? formatCount(runs, 'sequence') : renderProgressBar(runs, totalRuns);
  return `Fuzzing ${url}  ${count}${time}, ${sent}`;
}

/** Writes the smallest sequence unless a saved one was played, and prints what to do next. */
async function saveFailure(
  report: FuzzReport,
  { url }: OptionsWithoutReader,
  options: FuzzCommandOptions,
  context: Context,
): Promise<void> {
  const { save, replay, restartCommand } = options;
  const { failure } = report;
  if (failure === null) return;
  const { random_seed: randomSeed, run } = failure.sequence;
  if (replay === undefined || save !== undefined) {
    const { projectFolder } = await context.resolveConfig();
    // A plain delivery that fails before the random sequences belongs to no run.
    const name = `sequence-${randomSeed}-${run ?? 'first'}.json`;
    const path = save ?? join(relative(context.cwd, createStateFolder(projectFolder, context.env)), name);
    const text = `${JSON.stringify(failure.sequence, null, 2)}\n`;
    await writeText(resolve(context.cwd, path), text, SAVE_HINT);
    const command = ['svc', 'receiver', 'fuzz', url, ...listReplayArguments(path, options)];
    printHint({ text: 'Play it again', command: command.map(quoteForShell).join(' ') }, context.io);
  }
  // The receiver stopped, so svc could not play another sequence.
  if (failure.rule === 'running' && failure.played === 1 && restartCommand === undefined) {
    printHint(
      'To find a smaller sequence, pass a command that restarts the receiver, with --restart-command.',
      context.io,
    );
  }
  // The fuzz run sends plain deliveries and a forged one before the first random sequence, and ends if one fails.
  const hasPlainDeliveryFailed = report.runs === 0;
  if (hasPlainDeliveryFailed && !sideEffectRules.has(failure.rule)) {
    printHint(
      {
        text: 'Find the cause',
        command: `svc receiver check ${quoteForShell(url)}`,
      },
      context.io,
    );
  }
}

/** The options that decide how a saved sequence is played, without the secret. */
function listReplayArguments(path: string, options: FuzzCommandOptions): string[] {
  const { timeout, events } = options;
  const values = {
    '--replay': path,
    '--observe': options.observe,
    '--scheme': options.scheme,
    '--timeout': timeout && formatDuration(timeout),
    '--ca': options.ca,
    '--events': events?.join(','),
    '--restart-command': options.restartCommand,
  };
  return Object.entries(values).flatMap(([flag, value]) => (value ? [flag, value] : []));
}
