import { type Command, InvalidArgumentError } from 'commander';
import { settings } from '../../../config/settings.ts';
import { SECOND_MS } from '../../../domain/duration.ts';
import { isEventType } from '../../../domain/event.ts';
import { requireSecrets } from '../../../domain/signature/digest.ts';
import { ExitCode, SvcError } from '../../../errors.ts';
import { findFixture } from '../../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../../fixtures/fixture-folders.ts';
import { fillTemplates } from '../../../fixtures/template.ts';
import { createEffectObserver } from '../../../receiver/effect-observer.ts';
import { receiverRules } from '../../../receiver/receiver-check.ts';
import { type CheckReport, type RunChecksOptions, runChecks } from '../../../receiver/run-checks.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { choiceOption, parseDurationMs, parseList, parseReceiverUrl } from '../../option-parsers.ts';
import { renderProgressBar, withProgress } from '../../progress.ts';
import { askText } from '../../prompt.ts';
import { readNamedFile } from '../../read-value.ts';
import { renderFields } from '../../render/fields.ts';
import { renderReceiverJUnit } from '../../render/receiver-junit.ts';
import { renderReport } from '../../render/receiver-report.ts';
import { createTemplateScopes } from '../../template-scopes.ts';

interface Options {
  readonly url?: string;
  readonly secret?: string;
  readonly format: 'table' | 'json' | 'junit';
  readonly rule?: readonly string[];
  readonly scheme?: string;
  readonly observe?: string;
  readonly eventType: string;
  readonly ca?: string;
  readonly timeout?: number;
}

/** That of a delivery (decision `delivery.timeout`). */
const TIMEOUT_MS = 15 * SECOND_MS;

const rules = renderFields(
  Object.fromEntries(
    Object.entries(receiverRules).map(([name, { reference, text }]) => [
      `  ${name}`,
      `${text} (${reference})`,
    ]),
  ),
  { color: false },
);

const NOTES = `
Rules, each of several checks, with their place in the service description:
${rules}

It sends some two hundred deliveries of events that are made up: let the receiver work on data that may be lost. What
only shows in what the receiver does needs --observe, the count of it: the rows that it wrote, the jobs that it put into
a queue. Without that, such checks are not observable; nothing passes untried.`;

export const command: CommandDefinition<Options> = {
  configure,
  examples: [
    'receiver check localhost:3000/webhooks --secret whsec_…',
    'receiver check 3000/webhooks --observe http://localhost:3000/count',
    'receiver check 3000/webhooks --observe \'sqlite3 -cmd ".timeout 5000" app.db "select count(*) from jobs"\'',
    'receiver check 3000/webhooks --rule raw-body --rule timestamp.old',
    'receiver check https://localhost:3443 --ca ca.pem --format junit > receiver.xml',
  ],
  run,
};

function configure(command: Command): void {
  command
    .argument('[url]', 'port or URL of the receiver', parseReceiverUrl)
    .option('--secret <secret>', 'the secret that it verifies with; otherwise SVC_WEBHOOK_SECRET')
    .option('--rule <name>', 'only this rule or this check; may be repeated', parseList)
    .option('--observe <url|command>', 'what gives the count of effects, as {"count": n} or as a number')
    .option(
      '--event-type <type>',
      'the type of the events; the payload is that of its fixture',
      toEventType,
      'order.shipped',
    )
    .option('--scheme <name>', settings.scheme.description)
    .option(
      '--timeout <duration>',
      'how long an answer or an effect may take; 15s when left out',
      parseDurationMs,
    )
    .option('--ca <file>', 'PEM file of a certificate authority to trust')
    .addOption(
      choiceOption('--format <format>', 'how to print it', ['table', 'json', 'junit']).default('table'),
    )
    .addHelpText('after', NOTES);
}

/** Exits with 1 when a check fails, when none could tell anything, or when effects could not be counted. */
async function run(options: Options, context: Context): Promise<ExitCode> {
  if (context.json && options.format === 'junit') {
    throw new SvcError('usage', '--json and --format junit print different things: choose one.');
  }
  const wanted = await toCheckOptions(options, context);
  const { observe } = options;
  const observer =
    observe === undefined ? null : createEffectObserver(observe, { ...wanted, cwd: context.cwd });
  let bar = renderProgressBar(0, 1);
  const onProgress = (done: number, total: number) => {
    bar = renderProgressBar(done, total);
  };
  try {
    const report = await withProgress(
      context,
      async () => `Checking ${wanted.url}  ${bar}`,
      runChecks({ ...wanted, count: observer?.count ?? null, onProgress }),
    );
    print(report, options, wanted.url, context);
    return report.ok ? ExitCode.success : ExitCode.failure;
  } finally {
    await observer?.close();
  }
}

function print(report: CheckReport, { format }: Options, url: string, context: Context): void {
  if (format === 'json') context.io.write(JSON.stringify(report, null, 2));
  else if (format === 'junit') context.io.write(renderReceiverJUnit(report, url));
  else context.print(report, () => renderReport(report, context.io));
}

type CheckOptions = Omit<RunChecksOptions, 'count' | 'onProgress'>;

async function toCheckOptions(options: Options, context: Context): Promise<CheckOptions> {
  const { secret = context.env.SVC_WEBHOOK_SECRET, ca, eventType } = options;
  if (!secret) throw new SvcError('usage', 'There is no secret: pass --secret or set SVC_WEBHOOK_SECRET.');
  const { cwd, signal, now } = context;
  const { signature: scheme, webhookUrl: urlRule } = await context.rules({ scheme: options.scheme });
  // With a secret that has no key in it, anybody could sign.
  requireSecrets(scheme, secret);
  const { values, projectFolder } = await context.config(ca === undefined ? {} : { ca });
  return {
    ...{ urlRule, scheme, secret, eventType, now, signal, apiKey: values.apiKey },
    only: options.rule ?? [],
    timeoutMs: options.timeout ?? TIMEOUT_MS,
    url: options.url ?? (await askText(context, 'url', parseReceiverUrl)),
    payload: await createPayload(eventType, projectFolder, context),
    ca: values.ca === null ? undefined : (await readNamedFile(values.ca, cwd)).toString(),
  };
}

/** That of the type's fixture; an empty one where there is none. */
async function createPayload(type: string, projectFolder: string, context: Context): Promise<string> {
  const fixture = findFixture(type, fixtureFolders(projectFolder));
  if (fixture === null) return '{}';
  const scopes = await createTemplateScopes({}, context);
  return fillTemplates(fixture.template, scopes.next());
}

function toEventType(text: string): string {
  if (isEventType(text)) return text;
  throw new InvalidArgumentError('An event type is written <noun>.<verb>, in lower case.');
}
