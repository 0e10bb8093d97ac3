import type { CheckContext } from '../check-context.ts';
import type { EventChanges } from '../delivery-factory.ts';
import { type CheckOutcome, failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import { describeResponses, isAccepted, type ReceiverResponse } from '../receiver-client.ts';

const LARGE_BODY_BYTES = 256 * 1024;
const AT_ONCE = 50;
/** Name of a field that no payload has. */
export const UNKNOWN_FIELD_NAME = 'svc_check';
const UNKNOWN_FIELD_CHECK_ID = 'robustness.unknown-member';
export const BIG_NUMBER_CHECK_ID = 'robustness.big-number';

interface UnusualEvent {
  readonly id: string;
  readonly sent: string;
  readonly explanation: string;
  readonly requires?: readonly string[];
  /** @param plainBytes size of a body with the field, but without its value */
  changes(plainBytes: number): EventChanges;
}

/** Unusual deliveries that a service can send (§6; decisions `event.catalogue` and `body.limit`). */
export const robustnessChecks: readonly ReceiverCheck[] = [
  createUnusualEventCheck({
    id: 'robustness.unknown-type',
    sent: 'an event of an unknown type',
    explanation:
      'Your receiver rejects an unknown event type, so the event is sent again for days. Respond with 2xx and ignore it.',
    changes: () => ({ type: 'svc_check.unheard_of' }),
  }),
  createUnusualEventCheck({
    id: UNKNOWN_FIELD_CHECK_ID,
    sent: 'a payload with an unknown field',
    explanation:
      'Your receiver fails on an unknown field. Services add fields: ignore the ones that you do not know.',
    changes: () => ({ fields: { [UNKNOWN_FIELD_NAME]: { is: 'unknown' } } }),
  }),
  createUnusualEventCheck({
    id: BIG_NUMBER_CHECK_ID,
    sent: 'an integer beyond the safe range of a double',
    explanation:
      'Your receiver fails on an integer that JSON allows. Read it as a big integer or as text, or ignore the field.',
    requires: [UNKNOWN_FIELD_CHECK_ID],
    changes: () => ({ fields: { [UNKNOWN_FIELD_NAME]: 2 ** 53 } }),
  }),
  createUnusualEventCheck({
    id: 'robustness.large-body',
    sent: 'a body of 256 KiB',
    explanation: 'Your receiver fails on a body of 256 KiB. Raise the size limit of your body parser.',
    requires: [UNKNOWN_FIELD_CHECK_ID],
    changes: (plainBytes) => ({
      fields: { [UNKNOWN_FIELD_NAME]: 'x'.repeat(LARGE_BODY_BYTES - plainBytes) },
    }),
  }),
  {
    id: 'robustness.at-once',
    rule: 'robustness',
    sent: `${AT_ONCE} deliveries at once`,
    acceptsRateLimit: true,
    async run(context) {
      const deliveries = Array.from({ length: AT_ONCE }, () =>
        context.send(context.deliveries.createValid()),
      );
      const responses = await Promise.all(deliveries);
      const explanation =
        'Your receiver fails under many simultaneous deliveries. If it can handle fewer, respond with 429 or 503.';
      return judge(
        responses,
        responses.every(isAcceptedOrDeferred) && responses.some(isAccepted),
        explanation,
        context,
      );
    },
  },
];

/** Creates a check of an unusual event. */
function createUnusualEventCheck({ explanation, changes, ...check }: UnusualEvent): ReceiverCheck {
  return {
    ...check,
    rule: 'robustness',
    async run(context) {
      const { deliveries } = context;
      const plainBytes = Buffer.byteLength(deliveries.createBody({ fields: { [UNKNOWN_FIELD_NAME]: '' } }));
      const response = await context.send(deliveries.createValid(changes(plainBytes)));
      return judge([response], isAccepted(response), explanation, context);
    },
  };
}

async function judge(
  responses: readonly ReceiverResponse[],
  isCorrect: boolean,
  explanation: string,
  context: CheckContext,
): Promise<CheckOutcome> {
  const received = describeResponses(...responses);
  if (!isCorrect) return failed(received, explanation);
  return (await context.isResponsive())
    ? passed(received, 'Your receiver accepts it and keeps accepting deliveries.')
    : failed(received, 'Your receiver accepts no delivery after it. Check its log.');
}

/** Accepted, or rejected in a way that lets the service retry. */
function isAcceptedOrDeferred(response: ReceiverResponse): boolean {
  return isAccepted(response) || response.status === 429 || response.status === 503;
}
