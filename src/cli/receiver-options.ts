/** The options, the events and the report that `svc receiver check` and `svc receiver fuzz` share. */

import { resolve } from 'node:path';
import { findRunFile, ignoreUntrusted } from '../config/run-file.ts';
import { settings } from '../config/settings.ts';
import { getApiKeyEnvironment, keyPrefixes, SECRET_PREFIX } from '../domain/credentials.ts';
import { formatDuration } from '../domain/duration.ts';
import { ExitCode, SvcError } from '../domain/errors.ts';
import { isEventType } from '../domain/event.ts';
import { RECEIVER_TIMEOUT_MS } from '../domain/variations.ts';
import { findFixture, listFixtures } from '../fixtures/event-fixtures.ts';
import { fillTemplates } from '../fixtures/template.ts';
import { addOwnUrl } from '../platform/own-addresses.ts';
import { findField, type WebhookSender } from '../profile/senders.ts';
import type { FuzzOptions } from '../receivers/fuzz/fuzz.ts';
import type { SessionOptions } from '../receivers/play-sequence.ts';
import type { ReceiverReport } from '../receivers/receiver-check.ts';
import { assertAllowedReceiver } from '../receivers/receiver-client.ts';
import { createSideEffectReader } from '../receivers/side-effect-reader.ts';
import { requireSecrets } from '../signature/sign.ts';
import type { Context } from './context.ts';
import type { ValuesOf } from './define-command.ts';
import { warnAboutMistypedTypes } from './endpoint-warnings.ts';
import { assertFileWritable, readCaFile, writeText } from './file-access.ts';
import { parseDurationMs } from './option-parsers.ts';
import { JUNIT_FILE_HINT, renderJUnit } from './render/junit.ts';
import { printWarning } from './report-error.ts';
import { resolveFixtureFolders } from './resolve-fixture-folders.ts';
import { requireSecretOption, SECRET_HINT, senderRow } from './secret-option.ts';
import { resolveTemplateContexts } from './seed-option.ts';

export const receiverRows = {
  secret: {
    option: '--secret <secret>',
    summary: 'Secret that the receiver verifies with: text, @file, or - for standard input',
    defaultText: 'SVC_WEBHOOK_SECRET',
  },
  sender: senderRow,
  timeout: {
    option: '--timeout <duration>',
    summary: 'Time limit for a response or a side effect',
    parse: parseDurationMs,
    defaultText: formatDuration(RECEIVER_TIMEOUT_MS),
  },
  ca: { option: '--ca <file>', summary: settings.ca.description },
  observe: {
    option: '--observe <url|command>',
    summary: 'URL or command that returns the side effects, as {"ids": […]}, {"count": n} or a number',
  },
  junit: { option: '--junit <file>', summary: 'File to write a JUnit report to' },
} as const;

/** @throws SvcError `usage` for a URL to which deliveries may not go, an unusable secret or an unreadable file */
export async function resolveReceiverOptions(
  url: string,
  options: ValuesOf<typeof receiverRows>,
  context: Context,
): Promise<Omit<SessionOptions, 'restart'>> {
  const { signal, now, cwd } = context;
  const { observe, junit } = options;
  const rules = await context.resolveRules({ sender: options.sender });
  const { webhookUrl: urlRule } = rules;
  const sender = { ...rules.sender, scheme: rules.signature };
  await addEmulatorOfFolder(context);
  assertAllowedReceiver(url, urlRule);
  const [secret = '', ...others] = await requireSecretOption(
    options.secret,
    context,
    sender.name === 'svc' ? SECRET_HINT : `Pass the webhook secret of ${sender.name} with --secret.`,
  );
  if (others.length > 0) {
    throw new SvcError('usage', `--secret contains ${others.length + 1} secrets.`, {
      hint: 'Pass one secret.',
    });
  }
  // Rejects a secret without a key, with which anybody could sign.
  requireSecrets(sender.scheme, secret);
  checkSecretKind(secret, sender, context);
  const { values } = await context.resolveConfig(options.ca === undefined ? {} : { ca: options.ca });
  const ca = values.ca === null ? undefined : readCaFile(values.ca, cwd);
  if (junit !== undefined) assertFileWritable(resolve(cwd, junit), JUNIT_FILE_HINT);
  return {
    url,
    urlRule,
    sender,
    secret,
    timeoutMs: options.timeout ?? RECEIVER_TIMEOUT_MS,
    ca,
    readSideEffects:
      observe === undefined ? null : createSideEffectReader(observe, { urlRule, ca, signal, cwd }),
    now,
    signal,
  };
}

/** @throws SvcError `usage` for an API key */
function checkSecretKind(secret: string, { name }: WebhookSender, { io }: Pick<Context, 'io'>): void {
  const environment = getApiKeyEnvironment(secret);
  if (environment !== null) {
    const message = `The secret starts with ${keyPrefixes[environment]}, so it is an API key.`;
    throw new SvcError('usage', message, { hint: SECRET_HINT });
  }
  // Not an error, because users can choose the secret of an endpoint.
  if (name === 'svc' && !secret.startsWith(SECRET_PREFIX)) {
    printWarning(`The secret does not start with ${SECRET_PREFIX}, so it may not be an endpoint secret.`, io);
  }
}

/** Nothing is sent to the emulator that commands in this folder use: a POST to its control plane could reset it. */
async function addEmulatorOfFolder(context: Context): Promise<void> {
  const { values } = await context.resolveConfig();
  const url = values.controlUrl ?? ignoreUntrusted(() => findRunFile(context))?.control_url;
  if (url !== undefined) addOwnUrl(url);
}

const IMPORT_HINT = {
  text: 'Create fixtures from a folder of payloads',
  command: 'svc fixtures import payloads/',
} as const;

/**
 * Events of these types with the payloads of their fixtures; of the sender `svc`, an empty one without a fixture. Warns about types
 * that are probably mistyped.
 * @param types names, `all` that have a fixture, or only the `example` of the sender, or else the first that has a fixture
 * @throws SvcError `usage` for a type that the sender does not have, or if no payload is known
 */
export async function createSamples(
  types: readonly string[] | 'all' | 'example',
  { sender, randomSeed }: { readonly sender: WebhookSender; readonly randomSeed?: string },
  context: Context,
): Promise<FuzzOptions['events']> {
  const folders = await resolveFixtureFolders(context, sender.name);
  const templateContexts = await resolveTemplateContexts(randomSeed ? { randomSeed } : {}, context);
  const createEvent = (type: string) => {
    const template = findFixture(type, folders)?.template;
    if (!isEventType(type, sender.types)) {
      throw new SvcError('usage', `${type} is not an event type of the sender ${sender.name}.`, {
        hint: `Pass one such as ${sender.example}.`,
      });
    }
    if (template === undefined && sender.body === 'payload') {
      const known = listTypes(sender, folders).join(', ');
      throw new SvcError('usage', `No fixture exists for the event type ${type} of ${sender.name}.`, {
        hint:
          known === '' ? IMPORT_HINT : { ...IMPORT_HINT, text: `Use one of ${known}. ${IMPORT_HINT.text}` },
      });
    }
    return { type, payload: template ? fillTemplates(template, templateContexts.next()) : '{}' };
  };
  const selectTypes = () => {
    if (types === 'all') return listTypes(sender, folders);
    if (types !== 'example') return types;
    const { example } = sender;
    const hasExample = isEventType(example, sender.types) && findFixture(example, folders);
    return hasExample ? [example] : listTypes(sender, folders).slice(0, 1);
  };
  if (typeof types !== 'string') await warnAboutMistypedTypes(types, context, sender.name);
  const [first, ...others] = selectTypes().map(createEvent);
  if (first !== undefined) return [first, ...others];
  throw new SvcError('usage', `No fixture of the sender ${sender.name} exists.`, { hint: IMPORT_HINT });
}

/** The event types that have a fixture. */
function listTypes({ body, types, eventIdPath }: WebhookSender, folders: readonly string[]): string[] {
  // Slack's url_verification is a request, but not an event: it has no ID.
  const isEvent = (payload: string) =>
    body === 'envelope' || !eventIdPath || findField(JSON.parse(payload), eventIdPath) !== null;
  return listFixtures(folders)
    .filter(({ type, template }) => isEventType(type, types) && isEvent(template))
    .map(({ type }) => type);
}

/** Prints the report, and writes it to the file of `--junit`. @returns 1 if it is not ok */
export async function printReport<Report extends ReceiverReport>(
  command: string,
  url: string,
  report: Report,
  render: (report: Report) => string,
  junit: string | undefined,
  context: Context,
): Promise<ExitCode> {
  if (junit !== undefined) {
    const text = renderJUnit(command, report, url);
    await writeText(resolve(context.cwd, junit), text, JUNIT_FILE_HINT);
  }
  context.print(report, () => render(report));
  if (report.interrupted) return ExitCode.interrupted;
  return report.ok ? ExitCode.success : ExitCode.failure;
}
