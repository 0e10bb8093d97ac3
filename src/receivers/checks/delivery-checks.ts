/** Checks of deliveries that a correct receiver accepts or rejects, each of which differs from a valid delivery in one way. */
import { MINUTE_MS } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { hasTimestamp } from '../../signature/schemes.ts';
import type { CheckId, ReceiverCheck, ReceiverRule } from '../receiver-check.ts';
import {
  ALTERED_BODY_CHECK_ID,
  listTamperedDeliveries,
  OTHER_SECRET_CHECK_ID,
  type TamperedDelivery,
} from '../tampered-deliveries.ts';
import { createAcceptedCheck, createRejectedCheck } from './create-check.ts';

/** A field that no payload has. */
export const UNKNOWN_FIELD_NAME = 'svc_check';
const UNKNOWN_FIELD_CHECK_ID: CheckId = 'robustness.unknown-field';
const BIG_NUMBER_CHECK_ID: CheckId = 'robustness.big-number';
const NON_ASCII_CHECK_ID: CheckId = 'raw-body.non-ascii';
const LARGE_BODY_BYTES = 256 * 1024;

/** Verification of signatures (§6.2) and of their age (§6.3). */
export function listSignatureChecks(
  scheme: SignatureScheme,
  apiKey: string | null,
): readonly ReceiverCheck[] {
  const listTampered = (rule: ReceiverRule) =>
    listTamperedDeliveries(scheme).filter(({ id }) => id.startsWith(`${rule}.`));
  return [
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...listTampered('signature').map(createSignatureCheck),
    createApiKeyCheck(apiKey),
    // A receiver that verifies no signatures can still check timestamps.
    ...listTampered('timestamp').map((delivery) => ({
      ...createRejectedCheck(delivery),
      judgesByResponse: true as const,
    })),
    ...(hasTimestamp(scheme) ? [recentTimestampCheck] : []),
  ];
}

/** A receiver that accepts the simplest forged delivery verifies no signatures, so the other forged ones show nothing more. */
const requiresVerification = { requires: [OTHER_SECRET_CHECK_ID] } as const;

function createSignatureCheck(delivery: TamperedDelivery): ReceiverCheck {
  const isSimplest = delivery.id === OTHER_SECRET_CHECK_ID;
  return { ...createRejectedCheck(delivery), ...(isSimplest ? {} : requiresVerification) };
}

const rotationExplanation =
  'Your receiver rejects a header with two signatures. During a rotation there is one for each secret: accept the delivery if any of them matches.';

const rotationChecks = [
  createAcceptedCheck({
    id: 'signature.rotated-first',
    sent: 'the valid signature, followed by one made with another secret',
    explanation: rotationExplanation,
    create: (factory, body) => factory.sign(body, { secrets: [factory.secret, createWebhookSecret()] }),
  }),
  createAcceptedCheck({
    id: 'signature.rotated-last',
    sent: 'the valid signature, preceded by one made with another secret',
    explanation: rotationExplanation,
    create: (factory, body) => factory.sign(body, { secrets: [createWebhookSecret(), factory.secret] }),
  }),
];

/** The API key is not the endpoint secret (§5.7). */
function createApiKeyCheck(apiKey: string | null): ReceiverCheck {
  const check = { id: 'signature.api-key', sent: 'a delivery signed with the API key' } as const;
  if (apiKey === null) {
    const meaning = 'To run this check, pass --api-key with a key that your receiver has.';
    return { ...check, sendsNothing: true, run: async () => ({ status: 'skipped', received: '', meaning }) };
  }
  return createRejectedCheck({
    ...check,
    ...requiresVerification,
    explanation:
      'Your receiver accepts a signature made with the API key. Verify with the endpoint secret only.',
    create: (factory, body) => factory.sign(body, { secrets: [apiKey] }),
  });
}

const recentTimestampCheck = createAcceptedCheck({
  id: 'timestamp.recent',
  sent: 'a correctly signed delivery that is four minutes old',
  explanation:
    'Your receiver rejects a delivery that is four minutes old. Accept deliveries up to five minutes old, and check the clock of its machine.',
  create: (factory, body) => factory.sign(body, { ageMs: 4 * MINUTE_MS }),
});

const serializedExplanation =
  'Your receiver verifies a body that was parsed and serialized again. Verify the raw bytes that arrived.';

/** Verification of the raw bytes (§6.1): bodies that change if they are parsed and serialized, and texts. */
export const rawBodyChecks: readonly ReceiverCheck[] = [
  createAcceptedCheck({
    id: 'raw-body.member-order',
    sent: 'fields in the order of the service, which is not alphabetical',
    explanation: serializedExplanation,
    create: (factory, _, id) => factory.sign(factory.createEnvelope({ id })),
  }),
  createAcceptedCheck({
    id: 'raw-body.white-space',
    sent: 'whitespace between fields and a line break at the end',
    explanation: serializedExplanation,
    create: (factory, _, id) => factory.sign(addWhiteSpace(factory.createEnvelope({ id }))),
  }),
  createAcceptedCheck({
    id: 'raw-body.unicode-escape',
    sent: 'a letter written as a Unicode escape',
    explanation: serializedExplanation,
    create: (factory, _, id) =>
      factory.sign(factory.createEnvelope({ id }).replace(/(?<=:")[a-z]/, escapeLetter)),
  }),
  createAcceptedCheck({
    id: 'raw-body.big-number',
    sent: 'a number that a double cannot represent',
    explanation: serializedExplanation,
    // A receiver that rejects every big number does not show whether it verifies the raw bytes.
    requires: [BIG_NUMBER_CHECK_ID],
    create: (factory, _, id) =>
      factory.sign(
        factory
          .createEnvelope({ id, fields: { [UNKNOWN_FIELD_NAME]: 0 } })
          .replace(`"${UNKNOWN_FIELD_NAME}":0`, `"${UNKNOWN_FIELD_NAME}":9007199254740993`),
      ),
  }),
  createAcceptedCheck({
    id: NON_ASCII_CHECK_ID,
    sent: 'characters outside ASCII',
    explanation:
      'Your receiver fails on characters outside ASCII. Verify the bytes that arrived: do not decode them as Latin-1 or ASCII first. Store text in UTF-8 (utf8mb4 in MySQL).',
    // A receiver that rejects every unknown field does not show whether it verifies the raw bytes.
    requires: [UNKNOWN_FIELD_CHECK_ID],
    create: createWithField('Zürich 東京 😀'),
  }),
  createAcceptedCheck({
    id: 'raw-body.decomposed',
    sent: 'a letter and its accent as two characters',
    explanation:
      'Your receiver changes Unicode text before it verifies it. Verify the bytes that arrived, and normalize text only afterwards, if at all.',
    requires: [NON_ASCII_CHECK_ID],
    create: createWithField('Zu\u0308rich'),
  }),
  createRejectedCheck({
    id: 'raw-body.re-spaced',
    sent: 'a body with whitespace added after signing',
    explanation: serializedExplanation,
    // A receiver that accepts any changed body does not show whether it serializes the body again.
    requires: [ALTERED_BODY_CHECK_ID],
    create: (factory, body) => ({ ...factory.sign(body), body: addWhiteSpace(body) }),
  }),
];

/** Unusual deliveries that a service can send (§6; gaps `event.catalog` and `body.limit`). */
export const unusualDeliveryChecks: readonly ReceiverCheck[] = [
  createAcceptedCheck({
    id: 'robustness.unknown-type',
    sent: 'an event of an unknown type',
    explanation:
      'Your receiver rejects an unknown event type, so the event is sent again for days. Respond with 2xx and ignore it.',
    create: (factory, _, id) => factory.createValid({ id, type: 'svc_check.unknown' }),
  }),
  createAcceptedCheck({
    id: UNKNOWN_FIELD_CHECK_ID,
    sent: 'a payload with an unknown field',
    explanation:
      'Your receiver fails on an unknown field. Services add fields: ignore the ones that you do not know.',
    create: createWithField({ is: 'unknown' }),
  }),
  createAcceptedCheck({
    id: BIG_NUMBER_CHECK_ID,
    sent: 'an integer beyond the safe range of a double',
    explanation:
      'Your receiver fails on an integer that JSON allows. Read it as a big integer or as a string, or ignore the field.',
    requires: [UNKNOWN_FIELD_CHECK_ID],
    create: createWithField(2 ** 53),
  }),
  createAcceptedCheck({
    id: 'robustness.large-body',
    sent: 'a body of 256 KiB',
    explanation: 'Your receiver fails on a body of 256 KiB. Raise the size limit of your body parser.',
    requires: [UNKNOWN_FIELD_CHECK_ID],
    create(factory, _, id) {
      const createBody = (text: string) => factory.createBody({ id, fields: { [UNKNOWN_FIELD_NAME]: text } });
      return factory.sign(createBody('x'.repeat(LARGE_BODY_BYTES - Buffer.byteLength(createBody('')))));
    },
  }),
  createAcceptedCheck({
    id: 'robustness.lower-case-headers',
    sent: 'header names in lower case, as HTTP/2 and AWS Lambda pass them on',
    explanation:
      'Your receiver finds its headers only in one spelling. Header names ignore case: look them up in lower case, or with a method that ignores it.',
    create(factory, body) {
      const { headers } = factory.sign(body);
      const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      return { body, headers: Object.fromEntries(entries) };
    },
  }),
];

/** A valid delivery with this value in its payload. */
function createWithField(value: unknown): Parameters<typeof createAcceptedCheck>[0]['create'] {
  return (factory, _, id) => factory.createValid({ id, fields: { [UNKNOWN_FIELD_NAME]: value } });
}

function escapeLetter(letter: string): string {
  return `\\u00${letter.charCodeAt(0).toString(16)}`;
}

function addWhiteSpace(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}
