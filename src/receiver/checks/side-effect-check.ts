/** Checks of the number of side effects that deliveries have. */
import type { CheckContext } from '../check-context.ts';
import { failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import { describeResponses, type ReceiverResponse } from '../receiver-client.ts';

export interface SideEffectCheck extends Omit<ReceiverCheck, 'run' | 'countsSideEffects'> {
  /** What the counted side effects are those of, if the check counts only those of one delivery. */
  readonly counted?: string;
  /** The responses show nothing, so nothing is sent if side effects cannot be counted. */
  readonly needsCount?: true;
  /** @param workMs the shortest time from a delivery to its side effect; infinite if side effects cannot be counted */
  send(context: CheckContext, workMs: number): Promise<readonly ReceiverResponse[]>;
  /** What is wrong with the responses, and what to do; null if nothing is. */
  judgeResponses(responses: readonly ReceiverResponse[]): string | null;
  /** What is wrong with the number of side effects, and what to do; null if nothing is. */
  judgeCount(count: number): string | null;
  /** What it means if nothing is wrong. */
  readonly meaning: string;
}

export function createSideEffectCheck({
  counted,
  needsCount,
  send,
  judgeResponses,
  judgeCount,
  meaning,
  ...check
}: SideEffectCheck): ReceiverCheck {
  return {
    ...check,
    countsSideEffects: true,
    async run(context) {
      const counter = await context.getSideEffectCounter();
      if ('reason' in counter) {
        if (needsCount) return inconclusive('', counter.reason);
        const responses = await send(context, Number.POSITIVE_INFINITY);
        const received = describeResponses(...responses);
        const problem = judgeResponses(responses);
        return problem === null ? inconclusive(received, counter.reason) : failed(received, problem);
      }
      const { result: responses, count } = await counter.measure(() => send(context, counter.workMs));
      const received = `${describeResponses(...responses)}, side effects${counted === undefined ? '' : ` of ${counted}`}: ${count}`;
      const problem = judgeResponses(responses) ?? judgeCount(count);
      return problem === null ? passed(received, meaning) : failed(received, problem);
    },
  };
}
