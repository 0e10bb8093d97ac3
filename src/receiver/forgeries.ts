/** Deliveries that are not signed as they should be: each differs from a genuine one in one thing alone. */
import { MINUTE_MS } from '../domain/duration.ts';
import { createWebhookSecret } from '../domain/secret.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { isTimed } from '../domain/signature/schemes.ts';
import { parseSignatureHeader } from '../domain/signature/signature-header.ts';
import type { ReceiverRule } from './check.ts';
import type { Message } from './courier.ts';
import type { Forge } from './forge.ts';

export interface Forgery {
  readonly id: string;
  readonly rule: ReceiverRule;
  readonly sent: string;
  /** What a receiver does that accepts it, and what it should do. */
  readonly fault: string;
  make(forge: Forge): Message;
}

/** Past the tolerance by a minute, so that clocks may differ a little. */
const STALE_MS = 6 * MINUTE_MS;

const signatureForgeries: readonly Forgery[] = [
  {
    id: 'signature.other-secret',
    rule: 'signature',
    sent: 'a delivery signed with another secret',
    fault: 'Anybody can forge deliveries: compare with the signature that the secret of the endpoint gives.',
    make: (forge) => forge.sign(forge.createBody(), { secrets: [createWebhookSecret()] }),
  },
  {
    id: 'signature.altered-body',
    rule: 'signature',
    sent: 'a body that was altered after signing',
    fault: 'The body is not covered by what it verifies: compute the signature over the body that arrived.',
    make: (forge) => ({ ...forge.genuine(), body: forge.createBody() }),
  },
  {
    id: 'signature.missing',
    rule: 'signature',
    sent: 'no signature header',
    fault: 'A delivery without a signature must be rejected, not passed over.',
    make: (forge) => withoutHeader(forge.genuine(), forge.scheme.headers.signature),
  },
  {
    id: 'signature.empty',
    rule: 'signature',
    sent: 'an empty signature header',
    fault: 'An empty signature must be rejected: it is no reason to skip verification.',
    make: (forge) => withHeader(forge.genuine(), forge.scheme.headers.signature, ''),
  },
  {
    id: 'signature.blank',
    rule: 'signature',
    sent: 'a signature header without the signature itself',
    fault: 'The empty text passes its comparison: compare whole signatures, lengths included.',
    make: (forge) => withDigest(forge, () => ''),
  },
  {
    id: 'signature.truncated',
    rule: 'signature',
    sent: 'the first half of the right signature',
    fault: 'A part of the signature passes its comparison: compare whole signatures, lengths included.',
    make: (forge) => withDigest(forge, (digest) => digest.slice(0, digest.length / 2)),
  },
  {
    id: 'signature.prefixed',
    rule: 'signature',
    sent: 'the right signature with more in front of it',
    fault: 'A text that only contains the signature passes its comparison: compare whole signatures.',
    make: (forge) => withDigest(forge, (digest) => `0000${digest}`),
  },
  {
    id: 'signature.empty-body',
    rule: 'signature',
    sent: 'a body with the signature of an empty body',
    fault: 'It verifies an empty body: a parser has read the body before. Read the raw bytes first.',
    make: (forge) => ({ ...forge.sign(''), body: forge.createBody() }),
  },
];

const old: Forgery = {
  id: 'timestamp.old',
  rule: 'timestamp',
  sent: 'a delivery that is rightly signed and six minutes old',
  fault: 'Whoever records a delivery can repeat it for ever: reject what is older than five minutes.',
  make: (forge) => forge.sign(forge.createBody(), { ageMs: STALE_MS }),
};

const replaced: Forgery = {
  id: 'timestamp.replaced',
  rule: 'timestamp',
  sent: 'a delivery of six minutes ago with the time of now in its header',
  fault: 'The timestamp is not covered by what it verifies: sign the text of the header with the body.',
  make: (forge) => {
    const stale = forge.sign(forge.createBody(), { ageMs: STALE_MS });
    const { timestamp } = forge.genuine();
    const headers = Object.entries(stale.headers).map(([name, value]) => [
      name,
      value.replace(stale.timestamp, timestamp),
    ]);
    return { body: stale.body, headers: Object.fromEntries(headers) };
  },
};

const untimed: Forgery = {
  id: 'timestamp.missing',
  rule: 'timestamp',
  sent: 'no timestamp header',
  fault: 'A delivery without a timestamp must be rejected, not taken as new.',
  make: (forge) => withoutHeader(forge.genuine(), forge.scheme.headers.timestamp ?? ''),
};

/** What a delivery of the scheme can be forged in, by rule. */
export function listForgeries(scheme: SignatureScheme): readonly Forgery[] {
  return [
    ...signatureForgeries,
    ...(scheme.headers.timestamp === null ? [] : [untimed]),
    ...(isTimed(scheme) ? [old] : []),
    ...(scheme.content.includes('{timestamp}') ? [replaced] : []),
  ];
}

function withDigest(forge: Forge, change: (digest: string) => string): Message {
  const message = forge.genuine();
  const name = forge.scheme.headers.signature;
  const header = message.headers[name] ?? '';
  const [digest = ''] = parseSignatureHeader(forge.scheme, header).digests;
  return withHeader(
    message,
    name,
    header.replace(digest, () => change(digest)),
  );
}

function withHeader({ body, headers }: Message, name: string, value: string): Message {
  return { body, headers: { ...headers, [name]: value } };
}

function withoutHeader({ body, headers }: Message, name: string): Message {
  const { [name]: _, ...rest } = headers;
  return { body, headers: rest };
}
