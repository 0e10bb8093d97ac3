/** `svc receiver fuzz`: plays random delivery sequences against a receiver, and shrinks one that breaks a rule. */
import { randomInt } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { createStateFolder } from '../../config/run-file.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import type { ExitCode } from '../../domain/errors.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import { quoteForShell } from '../../domain/shell.ts';
import { DEFAULT_RUNS, MAX_RUNS, MAX_SEED, selectVariations, variations } from '../../domain/variations.ts';
import { readJsonFile } from '../../platform/read-data-file.ts';
import {
  type FuzzOptions,
  type FuzzProgress,
  type FuzzReport,
  fuzz as fuzzReceiver,
} from '../../receivers/fuzz/fuzz.ts';

import {
  createRestartError,
  runRestartCommand,
  waitUntilListening,
} from '../../receivers/fuzz/restart-receiver.ts';
import { fuzzRules, sideEffectRules } from '../../receivers/play-rules.ts';
import { type DeliverySequence, parseSequence } from '../../receivers/sequence.ts';
import type { Context } from '../context.ts';
import { defineCommand, type ValuesOf } from '../define-command.ts';
import { writeText } from '../file-access.ts';
import { parseDurationMs, parseList, parseReceiverUrl, wholeNumberParser } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { createSamples, printReport, receiverRows, resolveReceiverOptions } from '../receiver-options.ts';
import { renderFuzzReport } from '../render/fuzz-report.ts';
import { renderFields } from '../render/table.ts';
import { printHint } from '../report-error.ts';

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

const rows = {
  url: { argument: '<url>', summary: 'Port or URL of the receiver', parse: parseReceiverUrl },
  runs: {
    option: '--runs <n>',
    summary: 'Number of sequences',
    parse: wholeNumberParser(1, MAX_RUNS),
    defaultText: String(DEFAULT_RUNS),
  },
  time: {
    option: '--time <duration>',
    summary: 'Keep playing sequences for this long, instead of --runs',
    parse: parseDurationMs,
  },
  randomSeed: {
    option: '--random-seed <n>',
    summary: 'Seed that generates the same sequences again',
    parse: wholeNumberParser(0, MAX_SEED),
    defaultText: 'random',
  },
  events: {
    option: '-e, --events <list>',
    summary: 'Event types to send, with the payloads of their fixtures, separated by commas',
    parse: parseList,
    defaultText: 'all',
  },
  only: {
    option: '--only <variations>',
    summary: 'Variations to use, separated by commas',
    parse: parseList,
    defaultText: 'all',
  },
  without: {
    option: '--without <variations>',
    summary: 'Variations to leave out, separated by commas',
    parse: parseList,
  },
  restartCommand: {
    option: '--restart-command <command>',
    summary: 'Command that restarts the receiver, to run between deliveries',
  },
  replay: { option: '--replay <file>', summary: 'Play the sequence in this file' },
  ...receiverRows,
} as const;

type Options = ValuesOf<typeof rows>;

/** Exit code 1 if a sequence broke a rule. */
export const fuzz = defineCommand({
  options: rows,
  notes: NOTES,
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
  ],
  run: runFuzz,
});

async function runFuzz(options: Options, context: Context): Promise<ExitCode> {
  const { replay: file } = options;
  const replay = file === undefined ? null : parseSequence(readJsonFile(resolve(context.cwd, file)), file);
  const { url } = options;
  const fuzzOptions = await toFuzzOptions(url, replay, options, context);
  const startedAt = performance.now();
  let progress: FuzzProgress = { runs: 0, requests: 0, steps: null };
  const report = await withProgress(
    context,
    async () => describeProgress(progress, fuzzOptions, performance.now() - startedAt),
    fuzzReceiver({
      ...fuzzOptions,
      onProgress: (current) => {
        progress = current;
      },
    }),
  );
  const render = () => renderFuzzReport(report, context.io);
  const exitCode = await printReport('svc receiver fuzz', url, report, render, options.junit, context);
  await saveFailure(report, url, options, context);
  return exitCode;
}

async function toFuzzOptions(
  url: string,
  replay: DeliverySequence | null,
  options: Options,
  context: Context,
): Promise<FuzzOptions> {
  const { restartCommand, runs, time, randomSeed, events, only, without } = options;
  const { cwd, signal } = context;
  const resolved = await resolveReceiverOptions(url, options, context);
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
    events: await createSamples(
      events?.length ? events : 'all',
      { sender: resolved.sender, randomSeed: String(seed) },
      context,
    ),
    restart: restartCommand === undefined ? null : restart,
  };
}

function describeProgress(
  { runs, requests, steps }: FuzzProgress,
  { url, runs: totalRuns, timeMs, replay }: FuzzOptions,
  elapsedMs: number,
): string {
  const sent = formatDeliveryCount(requests);
  if (steps !== null) return `Found a failure in ${url}. Removing steps: ${steps} left, ${sent}`;
  if (replay) return `Playing the sequence against ${url}, ${sent}`;
  const elapsed = formatDuration(Math.floor(elapsedMs / SECOND_MS) * SECOND_MS);
  const time = timeMs === null ? '' : ` in ${elapsed} of ${formatDuration(timeMs)}`;
  const count = totalRuns === null ? formatCount(runs, 'sequence') : renderProgressBar(runs, totalRuns);
  return `Fuzzing ${url}  ${count}${time}, ${sent}`;
}

/** Writes the smallest sequence unless a saved one was played, and prints what to do next. */
async function saveFailure(
  report: FuzzReport,
  url: string,
  options: Options,
  context: Context,
): Promise<void> {
  const { replay } = options;
  const { failure } = report;
  if (failure === null) return;
  const { random_seed: randomSeed, run } = failure.sequence;
  if (replay === undefined) {
    const { projectFolder } = await context.resolveConfig();
    // A plain delivery that fails before the random sequences belongs to no run.
    const name = `sequence-${randomSeed}-${run ?? 'first'}.json`;
    const path = join(relative(context.cwd, createStateFolder(projectFolder, context.env)), name);
    const text = `${JSON.stringify(failure.sequence, null, 2)}\n`;
    await writeText(resolve(context.cwd, path), text);
    const command = ['svc', 'receiver', 'fuzz', url, ...listReplayArguments(path, options)];
    printHint({ text: 'Play it again', command: command.map(quoteForShell).join(' ') }, context.io);
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
function listReplayArguments(path: string, options: Options): string[] {
  const { timeout, events } = options;
  const values = {
    '--replay': path,
    '--observe': options.observe,
    '--sender': options.sender,
    '--timeout': timeout && formatDuration(timeout),
    '--ca': options.ca,
    '--events': events?.join(','),
    '--restart-command': options.restartCommand,
  };
  return Object.entries(values).flatMap(([flag, value]) => (value ? [flag, value] : []));
}
