/** The options `--secret`, `--scheme` and `--sender`. */
import { type Hint, SvcError } from '../domain/errors.ts';
import { senderNames } from '../profile/senders.ts';
import { schemeNames } from '../signature/schemes.ts';
import type { Context } from './context.ts';
import { readText } from './file-access.ts';
import { collectValues } from './option-parsers.ts';

export const SECRET_HINT = {
  text: 'Pass --secret whsec_…, which svc listen prints, or show the secret of an endpoint',
  command: 'svc webhooks get ID --show-secret',
} as const;

export const secretRow = {
  option: '--secret <secret>',
  summary: 'Endpoint secret: text, @file, or - for standard input; repeatable',
  parse: collectValues,
  defaultText: 'SVC_WEBHOOK_SECRET',
} as const;

export const schemeRow = {
  option: '--scheme <name>',
  summary: `Signature scheme: ${schemeNames.join(', ')}, or that of one of your own senders`,
  defaultText: 'that of the sender setting',
} as const;

export const senderChoices = `${senderNames.join(', ')}, or one of your own senders`;

export const senderRow = {
  option: '--sender <name>',
  summary: `Whose deliveries to send: ${senderChoices}`,
  defaultText: 'the sender setting',
} as const;

type SecretContext = Pick<Context, 'env' | 'io' | 'cwd' | 'signal'>;

/**
 * The values of `--secret`, or else of SVC_WEBHOOK_SECRET. A file, and standard input, can contain several secrets, one per line.
 * @param secret the value of the option: text, `@file` or `-`
 * @throws SvcError `usage` if the option contains no secret, or the placeholder of the docs, or if a file cannot be read
 */
export async function readSecrets(
  secret: string | readonly string[] | undefined,
  context: SecretContext,
): Promise<string[]> {
  if (secret === undefined) return [context.env.SVC_WEBHOOK_SECRET ?? ''].filter(Boolean);
  const texts = await Promise.all(
    [secret].flat().map(async (value) => {
      const text = await readText(value, context);
      return text === value ? [text] : text.split('\n').map((line) => line.trim());
    }),
  );
  const secrets = texts.flat().filter(Boolean);
  const placeholder = secrets.find((text) => text.endsWith('…'));
  if (placeholder !== undefined)
    throw new SvcError('usage', `The secret ${placeholder} is a placeholder.`, { hint: SECRET_HINT });
  if (secrets.length > 0) return secrets;
  throw new SvcError('usage', '--secret contains no secret.', { hint: SECRET_HINT });
}

/** {@link readSecrets}, but at least one. @throws SvcError `usage` also if there is none */
export async function requireSecretOption(
  secret: string | readonly string[] | undefined,
  context: SecretContext,
  hint: Hint | string = SECRET_HINT,
): Promise<string[]> {
  const secrets = await readSecrets(secret, context);
  if (secrets.length > 0) return secrets;
  throw new SvcError('usage', 'The secret is missing: neither --secret nor SVC_WEBHOOK_SECRET is set.', {
    hint,
  });
}
