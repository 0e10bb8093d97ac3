import { toUnicodeEscape } from '../../domain/json-text.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import type { CheckId, ReceiverCheck } from '../receiver-check.ts';
import { ALTERED_BODY_CHECK_ID } from '../tampered-deliveries.ts';
import { BIG_NUMBER_CHECK_ID, UNKNOWN_FIELD_CHECK_ID, UNKNOWN_FIELD_NAME } from './robustness-checks.ts';
import { createAcceptedCheck, createRejectedCheck } from './single-delivery-check.ts';

const NON_ASCII_CHECK_ID: CheckId = 'raw-body.non-ascii';

const explanation =
  'Your receiver verifies a body that was parsed and serialized again. Verify the raw bytes that arrived.';

/** Verification of the raw bytes (§6.1). */
export const rawBodyChecks: readonly ReceiverCheck[] = [
  createSerializationCheck(
    'raw-body.member-order',
    'fields in the order of the service, which is not alphabetical',
    (factory) => factory.createEnvelope(),
  ),
  createSerializationCheck(
    'raw-body.white-space',
    'whitespace between fields and a line break at the end',
    (factory) => addWhiteSpace(factory.createEnvelope()),
  ),
  createSerializationCheck('raw-body.unicode-escape', 'a letter written as a Unicode escape', (factory) =>
    factory.createEnvelope().replace(/(?<=:")[a-z]/, toUnicodeEscape),
  ),
  {
    ...createSerializationCheck('raw-body.big-number', 'a number that a double cannot represent', (factory) =>
      factory
        .createEnvelope({ fields: { [UNKNOWN_FIELD_NAME]: 0 } })
        .replace(`"${UNKNOWN_FIELD_NAME}":0`, `"${UNKNOWN_FIELD_NAME}":9007199254740993`),
    ),
    // A receiver that rejects every big number does not show whether it verifies the raw bytes.
    requires: [BIG_NUMBER_CHECK_ID],
  },
  {
    ...createTextCheck(
      NON_ASCII_CHECK_ID,
      'characters outside ASCII',
      'Zürich 東京 😀',
      'Your receiver fails on characters outside ASCII. Verify the bytes that arrived: do not decode them as Latin-1 or ASCII first. Store text in UTF-8 (utf8mb4 in MySQL).',
    ),
    // A receiver that rejects every unknown field does not show whether it verifies the raw bytes.
    requires: [UNKNOWN_FIELD_CHECK_ID],
  },
  {
    ...createTextCheck(
      'raw-body.decomposed',
      'a letter and its accent as two characters',
      'Zu\u0308rich',
      'Your receiver changes Unicode text before it verifies it. Verify the bytes that arrived, and normalize text only afterwards, if at all.',
    ),
    requires: [NON_ASCII_CHECK_ID],
  },
  createRejectedCheck({
    id: 'raw-body.re-spaced',
    // A receiver that accepts any changed body does not show whether it serializes the body again.
    requires: [ALTERED_BODY_CHECK_ID],
    sent: 'a body with whitespace added after signing',
    explanation,
    create(factory) {
      const { body, headers } = factory.createValid();
      return { body: addWhiteSpace(body), headers };
    },
  }),
];

/** Creates a check of a valid delivery with a body that changes if it is parsed and serialized. */
function createSerializationCheck(
  id: CheckId,
  sent: string,
  createBody: (factory: DeliveryFactory) => string,
): ReceiverCheck {
  return createAcceptedCheck({
    id,
    sent,
    explanation,
    create: (factory) => factory.sign(createBody(factory)),
  });
}

/** Creates a check of a valid delivery with this text in its payload. */
function createTextCheck(id: CheckId, sent: string, text: string, explanation: string): ReceiverCheck {
  return createAcceptedCheck({
    id,
    sent,
    explanation,
    create: (factory) => factory.createValid({ fields: { [UNKNOWN_FIELD_NAME]: text } }),
  });
}

function addWhiteSpace(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}
