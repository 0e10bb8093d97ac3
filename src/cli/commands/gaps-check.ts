/** `svc gaps check`: compares recordings of the service with the configured values of the gaps. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isModule } from '../../config/config-file.ts';
import type { Config } from '../../config/resolve-config.ts';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { createSecretRemover } from '../../domain/secret-remover.ts';
import { readJsonFile } from '../../platform/read-data-file.ts';
import { isConfigurable } from '../../profile/gap.ts';
import { gaps } from '../../profile/gaps.ts';
import { resolveRules } from '../../profile/resolve-rules.ts';
import { checkGaps, type GapReport, type GapResult, mergeOverrides } from '../../recordings/check-gaps.ts';
import type { Recording } from '../../recordings/read-recording.ts';
import type { StartTarget } from '../../recordings/replay.ts';
import { sortRecording } from '../../recordings/sort-recording.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { writeText } from '../file-access.ts';
import { urlOption } from '../option-parsers.ts';
import { confirmOrFail, requiredYesRow } from '../prompt.ts';
import { readRecording } from '../recording-file.ts';
import { styleCheckStatus, styleFor } from '../render/style.ts';
import { renderTable } from '../render/table.ts';
import { printHint } from '../report-error.ts';
import { readSecrets, secretRow } from '../secret-option.ts';

const DETAILS = `
The files can be HAR (from browsers and proxies) or NDJSON (from svc gaps record or svc deliveries export). svc sends the
recorded requests to an emulator in this process, with the configuration of this folder, and compares the responses. Secrets are used
only to verify deliveries, and never printed or written.

The exit code is 0 if nothing differs, 1 if something does, and 2 if a file cannot be read.`;

export const check = defineCommand({
  options: {
    files: { argument: '<files...>', summary: 'Recordings, or - for standard input' },
    baseUrl: {
      option: '--base-url <url>',
      summary: 'Base address of the API',
      parse: urlOption,
      defaultText: 'detected',
    },
    deliveriesTo: {
      option: '--deliveries-to <url>',
      summary: 'Start of the URLs of deliveries',
      parse: urlOption,
      defaultText: 'detected',
    },
    secret: secretRow,
    write: { option: '--write', summary: 'Write the overrides to svc.config.json after confirmation' },
    yes: requiredYesRow('Write'),
  },
  notes: DETAILS,
  examples: [
    ['Compare a recording with the current configuration', 'gaps check staging.har'],
    ['Verify deliveries with the secrets in a file', 'gaps check deliveries.ndjson --secret @secrets.txt'],
    ['Set the overrides to match the service', 'gaps check sandbox.ndjson --write'],
  ],
  async run(options, context) {
    const config = await context.resolveConfig();
    const secrets = await readSecrets(options.secret, context);
    const recordings: Recording[] = [];
    for (const file of options.files) recordings.push(await readRecording(file, context));
    const exchanges = recordings.flatMap((each) => each.exchanges);
    const recording = sortRecording(exchanges, options);
    const [requests, deliveries] = [recording.requests.length, recording.attempts.length];
    if (requests + deliveries === 0) {
      const count = formatCount(exchanges.length, 'entry', 'entries');
      const problem = `no request to the API and no delivery among ${count}`;
      throw new SvcError('usage', `${options.files.join(', ')}: ${problem}.`, {
        hint: 'Pass the base address of the API with --base-url, or the address of the receiver with --deliveries-to.',
      });
    }
    const { values } = config;
    const [startTarget, checksSignatures] = [createStartTarget(values), values.sender === 'svc'];
    const checked = await checkGaps({ ...values, recording, secrets, startTarget, checksSignatures });
    // Texts of the service could contain secrets.
    const report: GapReport = JSON.parse(createSecretRemover(secrets, []).fromText(JSON.stringify(checked)));
    const skipped = exchanges.length - requests - deliveries;
    const counts = [
      formatCount(requests, 'request'),
      formatCount(deliveries, 'delivery attempt'),
      formatCount(skipped, 'other entry', 'other entries'),
    ];
    context.print({ ...report, requests, deliveries, skipped }, () => renderReport(report, counts, context));
    const different = report.data.filter(({ verdict }) => verdict === 'different');
    const canWrite = different.some(({ override }) => override !== null);
    if (canWrite && options.write) await writeOverrides(report, config, options.yes, context);
    else if (canWrite) printHint('Add --write to match the service.', context.io);
    const remaining = different.filter(({ override }) => !options.write || override === null);
    return remaining.length + report.other.length > 0 ? ExitCode.failure : ExitCode.success;
  },
});

function createStartTarget({ profile, environment }: Config['values']): StartTarget {
  return async (overrides, wall) => {
    const { startEmulator } = await import('../../emulator.ts');
    const rules = resolveRules(profile, overrides, environment);
    return startEmulator({ host: '127.0.0.1', port: 0, db: ':memory:', environment, rules, wall });
  };
}

function renderReport({ data, other, notes }: GapReport, counts: readonly string[], { io }: Context): string {
  const { bold, dim } = styleFor(io);
  const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const columns = [
    { title: 'GAP', value: ({ gap }: GapResult) => gap },
    { title: 'RESULT', value: ({ verdict }: GapResult) => styleCheckStatus(verdict, io) },
    {
      title: 'CONFIGURED',
      value: ({ gap, configured }: GapResult) =>
        isConfigurable(gaps[gap]) ? toText(configured) : 'not configurable',
      canTruncate: true,
    },
    { title: 'OBSERVED', value: ({ observed }: GapResult) => toText(observed ?? ''), canTruncate: true },
  ];
  const differences = data
    .filter(({ verdict }) => verdict === 'different')
    .map(({ gap, override, evidence }) => {
      const text = override === null ? '' : `: override ${JSON.stringify(gap)}: ${JSON.stringify(override)}`;
      return { text: bold(gap) + text, evidence };
    });
  const blocks = [...differences, ...other].map(({ text, evidence }) => [
    text,
    ...evidence.map(({ file, entry, at, text: shown }) => dim(`    ${file}, ${entry}, ${at}: ${shown}`)),
  ]);
  const count = (expected: GapResult['verdict']) => data.filter(({ verdict }) => verdict === expected).length;
  const verdicts = `${count('different')} different, ${count('confirmed')} confirmed, ${count('no_evidence')} without evidence`;
  return [
    renderTable(columns, data, io),
    ...blocks.map((lines) => lines.join('\n')),
    ...notes,
    `${verdicts}, from ${counts.join(', ')}.`,
  ].join('\n\n');
}

/** Asks first. @throws SvcError `usage` for a configuration file that is code; `interrupted` */
async function writeOverrides(
  report: GapReport,
  { file, projectFolder, values }: Config,
  yes: true | undefined,
  context: Context,
): Promise<void> {
  const overrides = mergeOverrides(values.overrides, report.data);
  if (file !== null && isModule(file)) {
    throw new SvcError('usage', `${file} is code, so svc does not change it.`, {
      hint: `Set "overrides" to ${JSON.stringify(overrides)}`,
    });
  }
  const path = file ?? join(projectFolder, 'svc.config.json');
  const current = existsSync(path) ? readJsonFile(path) : {};
  await confirmOrFail(context, `Write these overrides to ${path}?`, yes);
  await writeText(path, `${JSON.stringify({ ...Object(current), overrides }, null, 2)}\n`);
  context.io.note(`Saved ${path}. A running emulator reads it when it restarts.`);
}
