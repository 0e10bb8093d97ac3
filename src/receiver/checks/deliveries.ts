/** Checks that consist in one delivery, which is to be accepted or not. */
import { type Check, failed, passed, type ReceiverRule } from '../check.ts';
import { describeAnswers, isAccepted, type Message } from '../courier.ts';
import type { Forge } from '../forge.ts';
import type { Forgery } from '../forgeries.ts';

export interface Acceptable {
  readonly id: string;
  readonly rule: ReceiverRule;
  readonly sent: string;
  /** What a receiver does that does not accept it, and what it should do. */
  readonly fault: string;
  readonly needs?: readonly string[];
  make(forge: Forge): Message;
}

/** A delivery that a right receiver accepts. */
export function acceptCheck({ make, fault, ...check }: Acceptable): Check {
  return {
    ...check,
    async run(bench) {
      const answer = await bench.send(make(bench.forge));
      const received = describeAnswers(answer);
      return isAccepted(answer) ? passed(received, 'Accepted, as it should be.') : failed(received, fault);
    },
  };
}

/** A delivery that a right receiver does not accept. With which status it says so is another matter (§6.4). */
export function refuseCheck({ make, fault, ...check }: Forgery): Check {
  return {
    ...check,
    async run(bench) {
      const answer = await bench.send(make(bench.forge));
      const received = describeAnswers(answer);
      return isAccepted(answer)
        ? failed(received, fault)
        : passed(received, 'Not accepted, as it should be.');
    },
  };
}
