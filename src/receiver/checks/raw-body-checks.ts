import { toUnicodeEscape } from '../../domain/json.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import type { ReceiverCheck } from '../receiver-check.ts';
import type { DeliveryMessage } from '../receiver-client.ts';
import { BIG_NUMBER_CHECK_ID, UNKNOWN_FIELD_NAME } from './robustness-checks.ts';
import { createAcceptedCheck, createRejectedCheck } from './single-delivery-check.ts';

const fault = 'It verifies a body that was parsed and printed anew: read the raw bytes, and verify those.';

/** Verification over the raw bytes (§6.1 of the service description). */
export const rawBodyChecks: readonly ReceiverCheck[] = [
  printedCheck(
    'raw-body.member-order',
    'members in the order of the service, which is not alphabetical',
    (deliveryFactory) => deliveryFactory.createEnvelope(),
  ),
  printedCheck(
    'raw-body.white-space',
    'white space between members, and a line break at the end',
    (deliveryFactory) => spread(deliveryFactory.createEnvelope()),
  ),
  printedCheck('raw-body.unicode-escape', 'a letter written as a Unicode escape', (deliveryFactory) =>
    deliveryFactory.createEnvelope().replace(/(?<=:")[a-z]/, toUnicodeEscape),
  ),
  {
    ...printedCheck('raw-body.big-number', 'a number that a double cannot hold', (deliveryFactory) =>
      deliveryFactory
        .createEnvelope({ members: { [UNKNOWN_FIELD_NAME]: 0 } })
        .replace(`"${UNKNOWN_FIELD_NAME}":0`, `"${UNKNOWN_FIELD_NAME}":9007199254740993`),
    ),
    // Whether it takes big numbers at all.
    requires: [BIG_NUMBER_CHECK_ID],
  },
  createRejectedCheck({
    id: 'raw-body.re-spaced',
    rule: 'raw-body',
    sent: 'white space that was added after signing',
    explanation: fault,
    create(deliveryFactory): DeliveryMessage {
      const { body, headers } = deliveryFactory.createValid();
      return { body: spread(body), headers };
    },
  }),
];

/** A genuine delivery whose body is printed in a way that parsing and printing loses. */
function printedCheck(
  id: string,
  sent: string,
  print: (deliveryFactory: DeliveryFactory) => string,
): ReceiverCheck {
  return createAcceptedCheck({
    id,
    rule: 'raw-body',
    sent,
    explanation: fault,
    create: (deliveryFactory) => deliveryFactory.sign(print(deliveryFactory)),
  });
}

function spread(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}
