/** Bodies that a service can send: those that change if they are parsed and serialized (§6.1), and those that receivers do not expect (§6). */
import type { CheckId, ReceiverCheck } from '../receiver-check.ts';
import {
  addField,
  createUnknownEvent,
  type EventTemplate,
  findUnknownType,
  UNKNOWN_FIELD,
} from '../sequence.ts';
import { ALTERED_BODY_CHECK_ID } from '../tampered-deliveries.ts';
import { createAcceptedCheck, createRejectedCheck } from './create-check.ts';

const UNKNOWN_FIELD_CHECK_ID: CheckId = 'robustness.unknown-field';
const BIG_NUMBER_CHECK_ID: CheckId = 'robustness.big-number';
const NON_ASCII_CHECK_ID: CheckId = 'raw-body.non-ascii';
/** With the other fields, the body has less than 256 KiB, which every receiver must accept. */
const LARGE_PADDING = 255 * 1024;

/** Unusual deliveries (gaps `event.catalog` and `body.limit`). */
export const unusualDeliveryChecks: readonly ReceiverCheck[] = [
  createAcceptedCheck({
    id: 'robustness.unknown-type',
    sent: 'an event of an unknown type',
    remedy: 'Ignore the event, and respond with 2xx. Otherwise the service counts the delivery as failed.',
    createEvent: (known, sender) => createUnknownEvent(sender, known) ?? known,
    findSkipReason({ options: { sender }, template }) {
      if (createUnknownEvent(sender, template) !== null) return null;
      return findUnknownType(sender) === undefined
        ? `The event types of ${sender.name} include none that svc can make up, such as svc_test.unknown.`
        : `Receivers of ${sender.name} do not see the event type. If the body contains it, name its field with event_type of the sender.`;
    },
  }),
  createAcceptedCheck({
    id: UNKNOWN_FIELD_CHECK_ID,
    sent: 'a payload with an unknown field',
    remedy: 'Services add fields. Ignore the ones that you do not know.',
    createEvent: withField('{"is":"unknown"}'),
  }),
  createAcceptedCheck({
    id: BIG_NUMBER_CHECK_ID,
    sent: 'an integer beyond the safe range of a double',
    remedy: 'JSON allows it. Read it as a big integer or as a string, or ignore the field.',
    requires: [UNKNOWN_FIELD_CHECK_ID],
    createEvent: withField(String(2 ** 53)),
  }),
  createAcceptedCheck({
    id: 'robustness.large-body',
    sent: 'a body of 255 KiB',
    remedy: 'Raise the size limit of your body parser to at least 256 KiB.',
    requires: [UNKNOWN_FIELD_CHECK_ID],
    createEvent: (known) => ({ ...known, padding: LARGE_PADDING }),
    findSkipReason: ({ options: { sender } }) =>
      sender.hasLargeBodies ? null : `The documentation of ${sender.name} names no bodies of 255 KiB.`,
  }),
  createAcceptedCheck({
    id: 'robustness.lower-case-headers',
    sent: 'header names in lower case, as HTTP/2 and AWS Lambda pass them on',
    remedy:
      'Header names ignore case. Look them up in lower case, or with a method that ignores it, and not only in one spelling.',
    create(factory, event) {
      const entries = Object.entries(factory.sign(event).headers);
      const headers = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
      return { body: event.body, headers };
    },
  }),
];

const RAW_BYTES_REMEDY =
  'Verify the raw bytes that arrived, not a body that was parsed and serialized again.';

/** Verification of the raw bytes (§6.1). A receiver that rejects every unknown field does not show whether it verifies them. */
export const rawBodyChecks: readonly ReceiverCheck[] = [
  createAcceptedCheck({
    id: 'raw-body.white-space',
    sent: 'whitespace between fields and a line break at the end',
    remedy: RAW_BYTES_REMEDY,
    create: (factory, event) => factory.sign({ ...event, body: addWhiteSpace(event.body) }),
  }),
  createAcceptedCheck({
    id: 'raw-body.unicode-escape',
    sent: 'a letter written as a Unicode escape',
    remedy: RAW_BYTES_REMEDY,
    create: (factory, event) => factory.sign({ ...event, body: escapeLetter(event.body) }),
  }),
  createAcceptedCheck({
    id: 'raw-body.big-number',
    sent: 'a number that a double cannot represent',
    remedy: RAW_BYTES_REMEDY,
    requires: [BIG_NUMBER_CHECK_ID],
    createEvent: withField('9007199254740993'),
  }),
  createAcceptedCheck({
    id: NON_ASCII_CHECK_ID,
    sent: 'characters outside ASCII',
    remedy:
      'Verify the bytes that arrived: do not decode them as Latin-1 or ASCII first. Store text in UTF-8 (utf8mb4 in MySQL).',
    requires: [UNKNOWN_FIELD_CHECK_ID],
    createEvent: withField('"Zürich 東京 😀"'),
  }),
  createAcceptedCheck({
    id: 'raw-body.decomposed',
    sent: 'a letter and its accent as two characters',
    remedy: 'Verify the bytes that arrived, and normalize Unicode text only afterwards, if at all.',
    requires: [NON_ASCII_CHECK_ID],
    createEvent: withField('"Zu\u0308rich"'),
  }),
  createRejectedCheck({
    id: 'raw-body.re-spaced',
    sent: 'a body with whitespace added after signing',
    remedy: RAW_BYTES_REMEDY,
    // A receiver that accepts any changed body does not show whether it serializes the body again.
    requires: [ALTERED_BODY_CHECK_ID],
    create: (factory, event) => ({ ...factory.sign(event), body: addWhiteSpace(event.body) }),
  }),
];

/** @param value JSON text */
function withField(value: string) {
  return ({ type, payload }: EventTemplate) => ({ type, payload: addField(payload, UNKNOWN_FIELD, value) });
}

function escapeLetter(json: string): string {
  return json.replace(/(?<=:")[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}

function addWhiteSpace(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}
