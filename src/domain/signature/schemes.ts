/** The built-in signature schemes. */
import { SvcError } from '../../errors.ts';
import type { SignatureScheme } from './scheme.ts';
import { findSchemeProblem } from './scheme-check.ts';

/** The built-in schemes: that of the service (gaps `signature.*`), and those of common webhook senders. */
export const schemes = {
  svc: {
    name: 'svc',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: '{timestamp}.{body}',
    encoding: 'hex',
    header: { prefix: 'v1=', separator: ',', timestampField: null },
    headers: { signature: 'Service-Signature', timestamp: 'Service-Timestamp', id: 'Service-Delivery-Id' },
    timestampFormat: 'iso8601',
  },
  'standard-webhooks': {
    name: 'standard-webhooks',
    algorithm: 'sha256',
    key: { form: 'base64', prefix: 'whsec_' },
    content: '{id}.{timestamp}.{body}',
    encoding: 'base64',
    header: { prefix: 'v1,', separator: ' ', timestampField: null },
    headers: { signature: 'Webhook-Signature', timestamp: 'Webhook-Timestamp', id: 'Webhook-Id' },
    timestampFormat: 'unix',
  },
  stripe: {
    name: 'stripe',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: '{timestamp}.{body}',
    encoding: 'hex',
    header: { prefix: 'v1=', separator: ',', timestampField: 't' },
    headers: { signature: 'Stripe-Signature', timestamp: null, id: null },
    timestampFormat: 'unix',
  },
  github: {
    name: 'github',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: '{body}',
    encoding: 'hex',
    header: { prefix: 'sha256=', separator: null, timestampField: null },
    headers: { signature: 'X-Hub-Signature-256', timestamp: null, id: 'X-GitHub-Delivery' },
    timestampFormat: 'unix',
  },
  slack: {
    name: 'slack',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: 'v0:{timestamp}:{body}',
    encoding: 'hex',
    header: { prefix: 'v0=', separator: null, timestampField: null },
    headers: { signature: 'X-Slack-Signature', timestamp: 'X-Slack-Request-Timestamp', id: null },
    timestampFormat: 'unix',
  },
} as const satisfies Record<string, SignatureScheme>;

export type SchemeName = keyof typeof schemes;
export const schemeNames = Object.keys(schemes) as readonly SchemeName[];

/** The built-in scheme with this name, or the given scheme object; null for anything else. */
export function findScheme(nameOrScheme: unknown): SignatureScheme | null {
  if (typeof nameOrScheme === 'string')
    return Object.hasOwn(schemes, nameOrScheme) ? schemes[nameOrScheme as SchemeName] : null;
  return isSignatureScheme(nameOrScheme) ? nameOrScheme : null;
}

/** As {@link findScheme}. @throws SvcError `validation_failed` for anything else */
export function getScheme(nameOrScheme: unknown): SignatureScheme {
  const scheme = findScheme(nameOrScheme);
  if (scheme !== null) return scheme;
  const problem = typeof nameOrScheme === 'object' ? findSchemeProblem(nameOrScheme) : null;
  throw new SvcError(
    'validation_failed',
    problem === null
      ? `Signature scheme ${JSON.stringify(nameOrScheme)} does not exist.`
      : `The field ${problem.path} of the signature scheme must be ${problem.expected}.`,
    { hint: `Use a built-in scheme: ${schemeNames.join(', ')}` },
  );
}

function isSignatureScheme(value: unknown): value is SignatureScheme {
  return findSchemeProblem(value) === null;
}

/** Whether deliveries of the scheme have a timestamp, so that their age must be checked. */
export function hasTimestamp({ content, header, headers }: SignatureScheme): boolean {
  return content.includes('{timestamp}') || headers.timestamp !== null || header.timestampField !== null;
}
