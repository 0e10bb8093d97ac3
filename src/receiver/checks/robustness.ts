import type { Bench } from '../bench.ts';
import { type Check, failed, passed, type Verdict } from '../check.ts';
import { type Answer, describeAnswers, isAccepted } from '../courier.ts';
import type { EventChanges } from '../forge.ts';

const LARGE_BODY_BYTES = 256 * 1024;
const AT_ONCE = 50;
/** The name of a member that no payload has. */
export const STRANGE_MEMBER = 'svc_check';
const UNKNOWN_MEMBER = 'robustness.unknown-member';
export const BIG_NUMBER = 'robustness.big-number';

interface Trial {
  readonly id: string;
  readonly sent: string;
  readonly fault: string;
  readonly needs?: readonly string[];
  /** @param plainBytes the size of a body without them. */
  changes(plainBytes: number): EventChanges;
}

/** What a service may well send (§6 of the service description; decisions `event.catalogue` and `body.limit`). */
export const robustnessChecks: readonly Check[] = [
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
    changes: () => ({ members: { [STRANGE_MEMBER]: { is: 'unknown' } } }),
  }),
  trialCheck({
    id: BIG_NUMBER,
    sent: 'a number that is beyond the safe integers of a double',
    fault: 'It breaks on a number that JSON allows.',
    needs: [UNKNOWN_MEMBER],
    changes: () => ({ members: { [STRANGE_MEMBER]: 2 ** 53 } }),
  }),
  trialCheck({
    id: 'robustness.large-body',
    sent: 'a body of 256 KiB',
    fault: 'Events can be as large: raise the limit of whatever reads the body.',
    needs: [UNKNOWN_MEMBER],
    changes: (plainBytes) => ({ members: { [STRANGE_MEMBER]: 'x'.repeat(LARGE_BODY_BYTES - plainBytes) } }),
  }),
  {
    id: 'robustness.at-once',
    rule: 'robustness',
    sent: `${AT_ONCE} deliveries at once`,
    expectsLimits: true,
    async run(bench) {
      const deliveries = Array.from({ length: AT_ONCE }, () => bench.send(bench.forge.genuine()));
      const answers = await Promise.all(deliveries);
      const fault = 'It breaks under many deliveries at once. Where it takes fewer, 429 or 503 says so.';
      return judge(answers, answers.every(isOrderly) && answers.some(isAccepted), fault, bench);
    },
  },
];

/** An event that is not like the others. */
function trialCheck({ fault, changes, ...check }: Trial): Check {
  return {
    ...check,
    rule: 'robustness',
    async run(bench) {
      const { forge } = bench;
      const plainBytes = Buffer.byteLength(forge.createBody({ members: { [STRANGE_MEMBER]: '' } }));
      const answer = await bench.send(forge.genuine(changes(plainBytes)));
      return judge([answer], isAccepted(answer), fault, bench);
    },
  };
}

async function judge(
  answers: readonly Answer[],
  isRight: boolean,
  fault: string,
  bench: Bench,
): Promise<Verdict> {
  const received = describeAnswers(...answers);
  if (!isRight) return failed(received, fault);
  return (await bench.isUp())
    ? passed(received, 'Accepted, and so is what comes after it.')
    : failed(received, 'It does not go on after it: what comes next is not accepted.');
}

/** Accepted, or put off: the service tries again. */
function isOrderly(answer: Answer): boolean {
  return isAccepted(answer) || answer.status === 429 || answer.status === 503;
}
