import { SvcError } from '../../errors.ts';
import type { SignatureScheme } from './scheme.ts';
import { findSchemeProblem } from './scheme-check.ts';

/** The built-in schemes: the service's own (decisions `signature.*`), and those that receivers meet most elsewhere. */
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

/** The built-in scheme of that name, or the scheme itself when one is given; null when it is neither. */
export function findScheme(wanted: unknown): SignatureScheme | null {
  if (typeof wanted === 'string')
    return Object.hasOwn(schemes, wanted) ? schemes[wanted as SchemeName] : null;
  return isSignatureScheme(wanted) ? wanted : null;
}

/** {@link findScheme}. @throws SvcError `validation_failed` that says what is wrong with it. */
export function getScheme(wanted: unknown): SignatureScheme {
  const scheme = findScheme(wanted);
  if (scheme !== null) return scheme;
  const fault = typeof wanted === 'object' ? findSchemeProblem(wanted) : null;
  throw new SvcError(
    'validation_failed',
    fault === null
      ? `There is no signature scheme ${JSON.stringify(wanted)}.`
      : `The member ${fault.path} of the signature scheme must be ${fault.expected}.`,
    { hint: `The built-in ones are ${schemeNames.join(', ')}.` },
  );
}

function isSignatureScheme(value: unknown): value is SignatureScheme {
  return findSchemeProblem(value) === null;
}

/** Whether deliveries of the scheme carry a timestamp, so that their age must be checked. */
export function hasTimestamp({ content, header, headers }: SignatureScheme): boolean {
  return content.includes('{timestamp}') || headers.timestamp !== null || header.timestampField !== null;
}
