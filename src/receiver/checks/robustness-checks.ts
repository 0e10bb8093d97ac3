import type { CheckContext } from '../check-context.ts';
import { type CheckId, type CheckOutcome, failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import { describeResponses, isAccepted, type ReceiverResponse } from '../receiver-client.ts';
import { createAcceptedCheck } from './single-delivery-check.ts';

const LARGE_BODY_BYTES = 256 * 1024;
const CONCURRENT_DELIVERIES = 50;
/** A field that no payload has. */
export const UNKNOWN_FIELD_NAME = 'svc_check';
export const UNKNOWN_FIELD_CHECK_ID: CheckId = 'robustness.unknown-field';
export const BIG_NUMBER_CHECK_ID: CheckId = 'robustness.big-number';

/** Unusual deliveries that a service can send (§6; gaps `event.catalog` and `body.limit`). */
export const robustnessChecks: readonly ReceiverCheck[] = [
  createAcceptedCheck(
    {
      id: 'robustness.unknown-type',
      sent: 'an event of an unknown type',
      explanation:
        'Your receiver rejects an unknown event type, so the event is sent again for days. Respond with 2xx and ignore it.',
      create: (factory) => factory.createValid({ type: 'svc_check.unknown' }),
    },
    checkStillRunning,
  ),
  createAcceptedCheck(
    {
      id: UNKNOWN_FIELD_CHECK_ID,
      sent: 'a payload with an unknown field',
      explanation:
        'Your receiver fails on an unknown field. Services add fields: ignore the ones that you do not know.',
      create: (factory) => factory.createValid({ fields: { [UNKNOWN_FIELD_NAME]: { is: 'unknown' } } }),
    },
    checkStillRunning,
  ),
  createAcceptedCheck(
    {
      id: BIG_NUMBER_CHECK_ID,
      sent: 'an integer beyond the safe range of a double',
      explanation:
        'Your receiver fails on an integer that JSON allows. Read it as a big integer or as a string, or ignore the field.',
      requires: [UNKNOWN_FIELD_CHECK_ID],
      create: (factory) => factory.createValid({ fields: { [UNKNOWN_FIELD_NAME]: 2 ** 53 } }),
    },
    checkStillRunning,
  ),
  createAcceptedCheck(
    {
      id: 'robustness.large-body',
      sent: 'a body of 256 KiB',
      explanation: 'Your receiver fails on a body of 256 KiB. Raise the size limit of your body parser.',
      requires: [UNKNOWN_FIELD_CHECK_ID],
      create(factory) {
        const bytes = Buffer.byteLength(factory.createBody({ fields: { [UNKNOWN_FIELD_NAME]: '' } }));
        return factory.createValid({
          fields: { [UNKNOWN_FIELD_NAME]: 'x'.repeat(LARGE_BODY_BYTES - bytes) },
        });
      },
    },
    checkStillRunning,
  ),
  createAcceptedCheck({
    id: 'robustness.lower-case-headers',
    sent: 'header names in lower case, as HTTP/2 and AWS Lambda pass them on',
    explanation:
      'Your receiver finds its headers only in one spelling. Header names ignore case: look them up in lower case, or with a method that ignores it.',
    create(factory) {
      const { body, headers } = factory.createValid();
      const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      return { body, headers: Object.fromEntries(entries) };
    },
  }),
  {
    id: 'robustness.at-once',
    sent: `${CONCURRENT_DELIVERIES} deliveries at once`,
    acceptsRateLimit: true,
    async run(context) {
      const sending = Array.from({ length: CONCURRENT_DELIVERIES }, () =>
        context.send(context.deliveries.createValid()),
      );
      const responses = await Promise.all(sending);
      const isCorrect = responses.every(isAcceptedOrDeferred) && responses.some(isAccepted);
      const explanation =
        'Your receiver fails under many simultaneous deliveries. Accept new connections while it handles others, so that its listen backlog does not fill up. If it can handle fewer, respond with 429 or 503.';
      return isCorrect
        ? checkStillRunning(responses, context)
        : failed(describeResponses(...responses), explanation);
    },
  },
];

async function checkStillRunning(
  responses: readonly ReceiverResponse[],
  context: CheckContext,
): Promise<CheckOutcome> {
  const received = describeResponses(...responses);
  // With a slow receiver, send no further delivery: the next checks show whether it still runs.
  if (context.isSlow) return passed(received, 'Your receiver accepts it.');
  return (await context.isResponsive())
    ? passed(received, 'Your receiver accepts it and keeps accepting deliveries.')
    : failed(
        received,
        'Your receiver stopped accepting deliveries after this one. Check the log of your receiver.',
      );
}

/** Accepted, or rejected in a way that lets the service retry. */
function isAcceptedOrDeferred(response: ReceiverResponse): boolean {
  return isAccepted(response) || response.status === 429 || response.status === 503;
}
