/** The options that `svc receiver check` and `svc receiver fuzz` share. */

import { findRunFile, ignoreUntrusted } from '../config/run-file.ts';
import { settings } from '../config/settings.ts';
import { getApiKeyEnvironment, keyPrefixes, SECRET_PREFIX } from '../domain/credentials.ts';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { RECEIVER_TIMEOUT_MS } from '../domain/variations.ts';
import { addOwnUrl } from '../platform/own-addresses.ts';
import { assertAllowedReceiver, type ReceiverClientOptions } from '../receivers/receiver-client.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { requireSecrets } from '../signature/sign.ts';
import type { CliCommand } from './command.ts';
import type { Context } from './context.ts';
import { readCaFile } from './file-access.ts';
import { parseDurationMs } from './option-parsers.ts';
import { printWarning } from './report-error.ts';
import { requireSecretOption, SECRET_HINT } from './secret-option.ts';

export interface ReceiverOptions {
  readonly secret?: string | undefined;
  readonly scheme?: string | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  /** Path of the certificate authority. */
  readonly ca?: string | undefined;
}

export function addReceiverOptions(command: CliCommand): CliCommand {
  return command
    .optionWithDefault(
      '--secret <secret>',
      'Secret that the receiver verifies with: text, @file, or - for standard input',
      'SVC_WEBHOOK_SECRET',
    )
    .optionWithDefault('--scheme <name>', settings.scheme.description, 'the scheme setting')
    .optionWithDefault(
      '--timeout <duration>',
      'Time limit for a response or a side effect',
      formatDuration(RECEIVER_TIMEOUT_MS),
      parseDurationMs,
    )
    .option('--ca <file>', settings.ca.description);
}

interface ResolvedReceiver extends ReceiverClientOptions {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** @throws SvcError `usage` for a URL to which deliveries may not go, an unusable secret or an unreadable file */
export async function resolveReceiverOptions(
  url: string,
  options: ReceiverOptions,
  context: Context,
): Promise<ResolvedReceiver> {
  const { signal, now } = context;
  const { signature: scheme, webhookUrl: urlRule } = await context.resolveRules({ scheme: options.scheme });
  await addEmulatorOfFolder(context);
  assertAllowedReceiver(url, urlRule);
  const [secret = '', ...others] = await requireSecretOption(options.secret, context);
  if (others.length > 0) {
    throw new SvcError('usage', `--secret contains ${others.length + 1} secrets.`, {
      hint: 'Pass one secret.',
    });
  }
  // Rejects a secret without a key, with which anybody could sign.
  requireSecrets(scheme, secret);
  checkSecretKind(secret, scheme, context);
  const { values } = await context.resolveConfig(options.ca === undefined ? {} : { ca: options.ca });
  return {
    url,
    urlRule,
    scheme,
    secret,
    timeoutMs: options.timeout ?? RECEIVER_TIMEOUT_MS,
    ca: values.ca === null ? undefined : readCaFile(values.ca, context.cwd),
    now,
    signal,
  };
}

/** @throws SvcError `usage` for an API key */
function checkSecretKind(secret: string, { name }: SignatureScheme, { io }: Pick<Context, 'io'>): void {
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
