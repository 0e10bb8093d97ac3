/** `svc gaps check`: compares recorded traffic of the service with the configured values of the gaps. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isModule } from '../../config/config-file.ts';
import type { Config } from '../../config/resolve-config.ts';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { isObject } from '../../domain/json.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { createSecretRemover } from '../../domain/secret-remover.ts';
import { builtInEventTypes } from '../../fixtures/event-fixtures.ts';
import { readJsonFile } from '../../platform/read-data-file.ts';
import { isConfigurable } from '../../profile/gap.ts';
import { gaps } from '../../profile/gaps.ts';
import { checkGaps, type GapReport, type GapResult, mergeOverrides } from '../../recordings/check-gaps.ts';
import type { Exchange } from '../../recordings/exchange.ts';
import { sortTraffic } from '../../recordings/sort-traffic.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { writeText } from '../file-access.ts';
import { collectValues, urlOption } from '../option-parsers.ts';
import { confirmOrFail } from '../prompt.ts';
import { readRecording } from '../recording-file.ts';
import { styleCheckStatus, styleFor } from '../render/style.ts';
import { renderTable } from '../render/table.ts';
import { printHint } from '../report-error.ts';
import { readSecrets } from '../secret-option.ts';

interface CheckOptions {
  readonly files: readonly string[];
  readonly baseUrl?: string;
  readonly deliveriesTo?: string;
  readonly secret?: readonly string[];
  readonly write?: true;
  readonly yes?: true;
}

const DETAILS = `
The files can be HAR (from browsers and proxies) or NDJSON (from svc gaps record or svc deliveries export). Secrets are only used
to verify deliveries. They are never printed or written.

The exit code is 0 if nothing differs, 1 if something does, and 2 if a file cannot be read.`;

export const check: CommandDefinition<CheckOptions> = {
  configure: (command) =>
    command
      .argument('<files...>', 'Recordings, or - for standard input')
      .optionWithDefault('--base-url <url>', 'Base address of the API', 'recognized', urlOption)
      .optionWithDefault('--deliveries-to <url>', 'Start of the URLs of deliveries', 'recognized', urlOption)
      .optionWithDefault(
        '--secret <secret>',
        'Endpoint secret: text, @file, or - for standard input; repeatable',
        'SVC_WEBHOOK_SECRET',
        collectValues,
      )
      .option('--write', 'Write the overrides to svc.config.json after confirmation')
      .option('-y, --yes', 'Write without asking for confirmation')
      .addHelpText('after', DETAILS),
  examples: [
    ['Compare a recording with the current configuration', 'gaps check staging.har'],
    ['Verify deliveries with the secrets in a file', 'gaps check deliveries.ndjson --secret @secrets.txt'],
    ['Set the overrides to match the service', 'gaps check sandbox.ndjson --write'],
  ],
  async run(options, context) {
    const config = await context.resolveConfig();
    const secrets = await readSecrets(options.secret, context);
    const exchanges: Exchange[] = [];
    for (const file of options.files) {
      const { entries } = await readRecording(file, context);
      for (const entry of entries) exchanges.push(...entry.exchanges);
    }
    const traffic = sortTraffic(exchanges, options);
    const { profile, overrides, environment, scheme } = config.values;
    const checked = checkGaps({
      traffic,
      secrets,
      profile,
      overrides,
      environment,
      checksSignatures: scheme === 'svc',
      eventTypes: new Set(builtInEventTypes()),
    });
    // Texts of the service could contain secrets.
    const report: GapReport = JSON.parse(createSecretRemover(secrets, []).fromText(JSON.stringify(checked)));
    const counts = {
      requests: traffic.requests.length,
      deliveries: traffic.attempts.length,
      skipped: exchanges.length - traffic.requests.length - traffic.attempts.length,
    };
    if (counts.requests + counts.deliveries === 0) {
      const found = `no request to the API and no delivery among ${formatCount(counts.skipped, 'entry', 'entries')}`;
      throw new SvcError('usage', `${options.files.join(', ')}: ${found}.`, {
        hint: 'Pass the base address of the API with --base-url, or the address of the receiver with --deliveries-to.',
      });
    }
    context.print({ ...report, ...counts }, () => renderReport(report, counts, context));
    const different = report.data.filter(({ verdict }) => verdict === 'different');
    const canWrite = different.some(({ override }) => override !== null);
    if (canWrite && options.write) await writeOverrides(report, config, options.yes, context);
    else if (canWrite) printHint('Add --write to match the service.', context.io);
    const remaining = options.write ? different.filter(({ needed }) => needed !== null) : different;
    return remaining.length + report.other.length > 0 ? ExitCode.failure : ExitCode.success;
  },
};

function renderReport(
  { data, other, notes }: GapReport,
  counts: { readonly requests: number; readonly deliveries: number; readonly skipped: number },
  { io }: Context,
): string {
  const { bold, dim } = styleFor(io);
  const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const columns = [
    { title: 'GAP', value: ({ gap }: GapResult) => gap },
    { title: 'RESULT', value: ({ verdict }: GapResult) => styleCheckStatus(verdict, io) },
    {
      title: 'CONFIGURED',
      value: (result: GapResult) =>
        isConfigurable(gaps[result.gap]) ? toText(selectObservedFields(result)) : 'not configurable',
      canTruncate: true,
    },
    { title: 'OBSERVED', value: ({ observed }: GapResult) => toText(observed ?? ''), canTruncate: true },
  ];
  const differences = data.flatMap(({ gap, verdict, override, needed, evidence }) => {
    if (verdict !== 'different') return [];
    const text = override === null ? '' : `: override ${JSON.stringify(gap)}: ${JSON.stringify(override)}`;
    const missing = needed === null ? '' : `. No override can express this. It would need: ${needed}`;
    return [{ text: `${bold(gap)}${text}${missing}`, evidence }];
  });
  const blocks = [...differences, ...other].map(({ text, evidence }) => [
    text,
    ...evidence.map(({ file, entry, at, text: shown }) => dim(`    ${file}, ${entry}, ${at}: ${shown}`)),
  ]);
  const count = (expected: GapResult['verdict']) => data.filter(({ verdict }) => verdict === expected).length;
  const skipped =
    counts.skipped === 0 ? '' : ` Skipped ${formatCount(counts.skipped, 'other entry', 'other entries')}.`;
  return [
    renderTable(columns, data, io),
    ...blocks.map((lines) => lines.join('\n')),
    ...notes,
    `${count('different')} different, ${count('confirmed')} confirmed, ${count('no_evidence')} without evidence, from ${formatCount(counts.requests, 'request')} and ${formatCount(counts.deliveries, 'delivery attempt')}.${skipped}`,
  ].join('\n\n');
}

/** The configured value. If only some of its fields were observed, the others are neither confirmed nor different. */
function selectObservedFields({ configured, observed }: GapResult): unknown {
  if (!isObject(configured) || !isObject(observed)) return configured;
  return Object.fromEntries(Object.entries(configured).filter(([name]) => name in observed));
}

/** Asks first. @throws SvcError `usage` for a configuration file that is code; `interrupted` */
async function writeOverrides(
  report: GapReport,
  { file, projectFolder, values }: Config,
  yes: true | undefined,
  context: Context,
): Promise<void> {
  const overrides = mergeOverrides(values.overrides, report);
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
