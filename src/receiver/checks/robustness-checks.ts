import type { CheckContext } from '../check-context.ts';
import type { EventChanges } from '../delivery-factory.ts';
import { type CheckOutcome, failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import { describeResponses, isAccepted, type ReceiverResponse } from '../receiver-client.ts';

const LARGE_BODY_BYTES = 256 * 1024;
const AT_ONCE = 50;
/** The name of a member that no payload has. */
export const UNKNOWN_FIELD_NAME = 'svc_check';
const UNKNOWN_MEMBER = 'robustness.unknown-member';
export const BIG_NUMBER_CHECK_ID = 'robustness.big-number';

interface Trial {
  readonly id: string;
  readonly sent: string;
  readonly fault: string;
  readonly requires?: readonly string[];
  /** @param plainBytes the size of a body without them. */
  changes(plainBytes: number): EventChanges;
}

/** What a service may well send (§6 of the service description; decisions `event.catalogue` and `body.limit`). */
export const robustnessChecks: readonly ReceiverCheck[] = [
  trialCheck({
    id: 'robustness.unknown-type',
    sent: 'an event of a type that it cannot know',
    fault:
      'Services gain event types, and what is not accepted is sent again for days: accept it, and do nothing.',
    changes: () => ({ type: 'svc_check.unheard_of' }),
  }),
  trialCheck({
    id: UNKNOWN_MEMBER,
    sent: 'a payload with a member that it cannot know',
    fault: 'Payloads gain members: pass over those that it does not know.',
    changes: () => ({ members: { [UNKNOWN_FIELD_NAME]: { is: 'unknown' } } }),
  }),
  trialCheck({
    id: BIG_NUMBER_CHECK_ID,
    sent: 'a number that is beyond the safe integers of a double',
    fault: 'It breaks on a number that JSON allows.',
    requires: [UNKNOWN_MEMBER],
    changes: () => ({ members: { [UNKNOWN_FIELD_NAME]: 2 ** 53 } }),
  }),
  trialCheck({
    id: 'robustness.large-body',
    sent: 'a body of 256 KiB',
    fault: 'Events can be as large: raise the limit of whatever reads the body.',
    requires: [UNKNOWN_MEMBER],
    changes: (plainBytes) => ({
      members: { [UNKNOWN_FIELD_NAME]: 'x'.repeat(LARGE_BODY_BYTES - plainBytes) },
    }),
  }),
  {
    id: 'robustness.at-once',
    rule: 'robustness',
    sent: `${AT_ONCE} deliveries at once`,
    acceptsRateLimit: true,
    async run(checkContext) {
      const deliveries = Array.from({ length: AT_ONCE }, () =>
        checkContext.send(checkContext.deliveries.createValid()),
      );
      const answers = await Promise.all(deliveries);
      const fault = 'It breaks under many deliveries at once. Where it takes fewer, 429 or 503 says so.';
      return judge(answers, answers.every(isOrderly) && answers.some(isAccepted), fault, checkContext);
    },
  },
];

/** An event that is not like the others. */
function trialCheck({ fault, changes, ...check }: Trial): ReceiverCheck {
  return {
    ...check,
    rule: 'robustness',
    async run(checkContext) {
      const { deliveries } = checkContext;
      const plainBytes = Buffer.byteLength(deliveries.createBody({ members: { [UNKNOWN_FIELD_NAME]: '' } }));
      const receiverResponse = await checkContext.send(deliveries.createValid(changes(plainBytes)));
      return judge([receiverResponse], isAccepted(receiverResponse), fault, checkContext);
    },
  };
}

async function judge(
  answers: readonly ReceiverResponse[],
  isRight: boolean,
  fault: string,
  checkContext: CheckContext,
): Promise<CheckOutcome> {
  const received = describeResponses(...answers);
  if (!isRight) return failed(received, fault);
  return (await checkContext.isResponsive())
    ? passed(received, 'Accepted, and so is what comes after it.')
    : failed(received, 'It does not go on after it: what comes next is not accepted.');
}

/** Accepted, or put off: the service tries again. */
function isOrderly(receiverResponse: ReceiverResponse): boolean {
  return isAccepted(receiverResponse) || receiverResponse.status === 429 || receiverResponse.status === 503;
}
