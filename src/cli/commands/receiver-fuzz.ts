/** `svc receiver fuzz`: plays random delivery sequences against a receiver, and shrinks one that breaks a rule. */
import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { isHttpUrl } from '../../domain/http-url.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import { classifyHost } from '../../domain/network-address.ts';
import { quoteForShell } from '../../domain/shell.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import {
  DEFAULT_RUNS,
  MAX_RUNS,
  MAX_SEED,
  RECEIVER_TIMEOUT_MS,
  selectVariations,
  variations,
} from '../../domain/variations.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import { findFixture, listFixtures } from '../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { createTemplateFiller } from '../../fixtures/template.ts';
import { type FuzzOptions, type FuzzReport, fuzz as fuzzReceiver } from '../../receiver/fuzz/fuzz.ts';
import { fuzzRules, sideEffectRules } from '../../receiver/fuzz/fuzz-rules.ts';
import type { FuzzProgress } from '../../receiver/fuzz/fuzz-session.ts';
import {
  createRestartError,
  runRestartCommand,
  waitUntilListening,
} from '../../receiver/fuzz/restart-receiver.ts';
import {
  type DeliverySequence,
  describeStep,
  type EventTemplate,
  parseSequenceText,
  type SequenceReceiver,
} from '../../receiver/fuzz/sequence.ts';
import { createSideEffectObserver } from '../../receiver/side-effect-observer.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { createWriteError, readNamedFile } from '../file-access.ts';
import { assertReportWritable, writeReport } from '../junit.ts';
import { parseDurationMs, parseList, parseReceiverUrl, wholeNumberParser } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { askText } from '../prompt.ts';
import { addReceiverOptions, type ReceiverOptions, resolveReceiverOptions } from '../receiver-options.ts';
import { renderFuzzJUnit, renderFuzzReport, renderVitestTest } from '../render/fuzz-report.ts';
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
  readonly test?: string;
}

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
        .option('--test <file>', 'File for a Vitest test that plays the smallest sequence'),
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
    ['Play a saved sequence again', 'receiver fuzz 3000/webhooks --replay .svc/sequence-1-14.json'],
    [
      'Use only duplicate and concurrent deliveries as variations',
      'receiver fuzz 3000/webhooks --only duplicate,concurrent',
    ],
    ['Write a failure as a Vitest test', 'receiver fuzz 3000/webhooks --test receiver.test.ts'],
  ],
  run: runFuzz,
};

/** Plays a saved sequence against the receiver that the file names, if it is on this machine. Otherwise asks for the URL. */
export function replaySequence(path: string, context: Context): Promise<ExitCode> {
  return runFuzz({ replay: path }, context);
}

/** Prints the steps of a saved sequence. */
export async function printSequence(path: string, context: Context): Promise<void> {
  const sequence = await readSequence(path, context);
  context.print(sequence, () =>
    sequence.steps.map((_, index) => `${index + 1}  ${describeStep(sequence, index)}`).join('\n'),
  );
}

async function runFuzz(options: FuzzCommandOptions, context: Context): Promise<ExitCode> {
  const replay = options.replay === undefined ? null : await readSequence(options.replay, context);
  const receiver = await resolveReceiver(options, replay?.receiver, context);
  const fuzzOptions = await toFuzzOptions(receiver, replay, options, context);
  if (options.junit !== undefined) assertReportWritable(resolve(context.cwd, options.junit));
  const observer =
    receiver.observe === undefined
      ? null
      : createSideEffectObserver(receiver.observe, { ...fuzzOptions, cwd: context.cwd });
  const startedAt = performance.now();
  let progress: FuzzProgress = { phase: 'searching', runs: 0, requests: 0, steps: null };
  try {
    const report = await withProgress(
      context,
      async () => describeProgress(progress, fuzzOptions, performance.now() - startedAt),
      fuzzReceiver({
        ...fuzzOptions,
        readSideEffects: observer?.readSideEffects ?? null,
        onProgress: (current) => {
          progress = current;
        },
      }),
    );
    context.print(report, () => renderFuzzReport(report, context.io));
    await writeFiles(report, receiver, fuzzOptions.scheme, options, context);
    if (report.interrupted) return ExitCode.interrupted;
    return report.failure === null ? ExitCode.success : ExitCode.failure;
  } finally {
    await observer?.close();
  }
}

/** The settings that a saved sequence contains too, so that it is played again in the same way. */
interface ReceiverSettings {
  readonly url: string;
  /** URL or command; undefined if side effects are not observed. */
  readonly observe: string | undefined;
  /** Undefined for the scheme of the configuration. */
  readonly scheme: string | undefined;
  readonly timeoutMs: number;
  /** Path of the certificate authority; undefined for no additional one. */
  readonly ca: string | undefined;
  /** Event types; empty for those of all fixtures. */
  readonly events: readonly string[];
}

/** The options, otherwise those with which the sequence was saved, otherwise the configuration. Saved URLs must be of this machine. */
async function resolveReceiver(
  options: FuzzCommandOptions,
  saved: SequenceReceiver | undefined,
  context: Context,
): Promise<ReceiverSettings> {
  const url = options.url ?? keepLoopback(saved?.url) ?? (await askText(context, 'url', parseReceiverUrl));
  const ca = options.ca ?? (isLoopback(url) ? saved?.ca : undefined);
  const { values } = await context.resolveConfig(ca === undefined ? {} : { ca });
  return {
    url,
    observe: options.observe ?? keepLoopback(saved?.observe),
    scheme: options.scheme ?? saved?.scheme,
    timeoutMs: options.timeout ?? saved?.timeout_ms ?? RECEIVER_TIMEOUT_MS,
    ca: values.ca ?? undefined,
    events: options.events ?? saved?.events ?? [],
  };
}

/** The options of the fuzz run that exist before the side effect observer, which is created with some of them. */
type OptionsWithoutObserver = Omit<FuzzOptions, 'readSideEffects' | 'onProgress'>;

async function toFuzzOptions(
  receiver: ReceiverSettings,
  replay: DeliverySequence | null,
  options: FuzzCommandOptions,
  context: Context,
): Promise<OptionsWithoutObserver> {
  const { restartCommand, runs, time } = options;
  const { url, events } = receiver;
  const { cwd, signal } = context;
  const receiverOptions = { ...receiver, secret: options.secret, timeout: receiver.timeoutMs };
  const resolved = await resolveReceiverOptions(url, receiverOptions, context);
  const { projectFolder } = await context.resolveConfig();
  const variations = selectVariations(options.only, options.without);
  if (restartCommand === undefined && options.only?.includes('restart')) {
    throw createRestartError('The variation restart needs --restart-command.');
  }
  const randomSeed = options.randomSeed ?? replay?.random_seed ?? randomInt(MAX_SEED);
  return {
    ...resolved,
    randomSeed,
    replay,
    variations,
    runs: runs ?? (time === undefined ? DEFAULT_RUNS : null),
    timeMs: time ?? null,
    events: createEvents(events, randomSeed, projectFolder, context),
    restart:
      restartCommand === undefined
        ? null
        : async () => {
            await runRestartCommand(restartCommand, { cwd, signal });
            await waitUntilListening(url, signal);
          },
  };
}

/**
 * The URL if it is of this machine. A sequence file from somebody else could name another one, to collect deliveries of any
 * content that are signed with the secret of the user.
 */
function keepLoopback(url: string | undefined): string | undefined {
  return url !== undefined && isLoopback(url) ? url : undefined;
}

function isLoopback(url: string): boolean {
  return classifyHost(new URL(url).hostname).kind === 'loopback';
}

async function readSequence(path: string, { cwd }: Context): Promise<DeliverySequence> {
  return parseSequenceText(readNamedFile(path, cwd).toString(), path);
}

/** The fixtures of these types, or all, filled with the values of the random seed. @throws SvcError `not_found` */
function createEvents(
  types: readonly string[],
  randomSeed: number,
  projectFolder: string,
  context: Context,
): readonly EventTemplate[] {
  const folders = fixtureFolders(projectFolder);
  const fixtures =
    types.length === 0
      ? listFixtures(folders)
      : types.map((type) => {
          const fixture = findFixture(type, folders);
          if (fixture !== null) return fixture;
          throw new SvcError('not_found', `Fixture ${type} does not exist.`, {
            hint: { text: 'List the fixtures', command: 'svc fixtures list' },
          });
        });
  const fill = createTemplateFiller(randomSeed, context);
  return fixtures.map(({ type, template }) => ({ type, payload: fill(template) }));
}

function describeProgress(
  { phase, runs, requests, steps }: FuzzProgress,
  { url, runs: totalRuns, timeMs, replay }: OptionsWithoutObserver,
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

/** Writes the files that options name, and the smallest sequence unless a saved one was played. */
async function writeFiles(
  report: FuzzReport,
  receiver: ReceiverSettings,
  scheme: SignatureScheme,
  { save, test, junit, replay, restartCommand }: FuzzCommandOptions,
  context: Context,
): Promise<void> {
  const { failure } = report;
  const { url } = receiver;
  if (junit !== undefined) writeReport(resolve(context.cwd, junit), renderFuzzJUnit(report, url));
  if (failure === null) return;
  const { random_seed: randomSeed, run } = failure.sequence;
  if (replay === undefined || save !== undefined) {
    // A plain delivery that fails before the random sequences belongs to no run.
    const path = save ?? join('.svc', `sequence-${randomSeed}-${run ?? 'first'}.json`);
    const sequence: DeliverySequence = {
      ...failure.sequence,
      receiver: toSequenceReceiver(receiver, scheme),
    };
    await write(path, `${JSON.stringify(sequence, null, 2)}\n`, '--save', context);
    const words = [
      'svc',
      'receiver',
      'fuzz',
      ...listReplayArguments(path, sequence, receiver, restartCommand),
    ];
    printHint({ text: 'Play it again', command: words.map(quoteForShell).join(' ') }, context.io);
  }
  if (test !== undefined) {
    const text = renderVitestTest(failure, { ...receiver, scheme, restartCommand });
    await write(test, text, '--test', context);
    printHint({ text: 'Run the test', command: `npx vitest run ${quoteForShell(test)}` }, context.io);
  }
  // The receiver stopped, so svc could not play another sequence.
  if (failure.rule === 'running' && failure.played === 1 && restartCommand === undefined) {
    printHint(
      'To find a smaller sequence, pass a command that restarts the receiver, with --restart-command.',
      context.io,
    );
  }
  // The fuzz run sends a plain delivery before the first random sequence, and ends if that fails.
  const hasPlainDeliveryFailed = report.runs === 0;
  if (hasPlainDeliveryFailed && !sideEffectRules.has(failure.rule)) {
    printHint(
      {
        text: 'Find out why a plain delivery is rejected',
        command: `svc receiver check ${quoteForShell(url)}`,
      },
      context.io,
    );
  }
}

function toSequenceReceiver(
  { url, observe, timeoutMs, ca, events }: ReceiverSettings,
  { name }: SignatureScheme,
): SequenceReceiver {
  return {
    url,
    ...(observe !== undefined && isHttpUrl(observe) && { observe }),
    scheme: name,
    timeout_ms: timeoutMs,
    ...(ca !== undefined && { ca }),
    ...(events.length > 0 && { events: [...events] }),
  };
}

/**
 * The arguments that play a saved sequence in the same way. They include the settings that `--replay` does not read from the
 * file, because another person can have written it.
 */
function listReplayArguments(
  path: string,
  { steps }: DeliverySequence,
  { url, observe, ca }: ReceiverSettings,
  restartCommand: string | undefined,
): string[] {
  const isObserveSaved = observe === undefined || (isHttpUrl(observe) && isLoopback(observe));
  const hasRestart = steps.some(({ kind }) => kind === 'restart');
  return [
    ...(isLoopback(url) ? [] : [url]),
    '--replay',
    path,
    ...(isObserveSaved ? [] : ['--observe', observe]),
    ...(isLoopback(url) || ca === undefined ? [] : ['--ca', ca]),
    ...(hasRestart && restartCommand !== undefined ? ['--restart-command', restartCommand] : []),
  ];
}

async function write(path: string, text: string, option: string, { cwd }: Context): Promise<void> {
  const file = resolve(cwd, path);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw createWriteError(path, error, `Choose a writable file with ${option}.`);
  }
}
