/** The matcher of `svc-emulator/vitest` and `svc-emulator/playwright`. */
import type { ExpectStatic } from 'vitest';
import { SvcError } from '../domain/errors.ts';
import {
  checkExpectedDeliveries,
  type DeliveryExpectation,
  waitForExpectedDeliveries,
} from './delivery-expectation.ts';
import type { Workspace } from './workspace.ts';

interface RunnerContext {
  readonly isNot: boolean;
  /** Whether a payload has the fields of the expected one. It can have more. */
  matches(payload: unknown): boolean;
  stringify(expectation: object): string;
}

/** The result of `expect(workspace).toHaveDelivered(type, expectation)`, in the form that test runners expect. */
export async function matchDeliveries(
  workspace: Partial<Workspace>,
  type: string,
  expectation: DeliveryExpectation,
  { isNot, matches, stringify }: RunnerContext,
) {
  if (workspace?.clock === undefined || workspace.deliveries === undefined)
    throw new SvcError('usage', 'toHaveDelivered: the value of expect must be a workspace or an emulator.');
  const check = isNot ? checkExpectedDeliveries : waitForExpectedDeliveries;
  const { pass, report } = await check(workspace as Workspace, type, expectation, matches);
  const { timeout: _, ...expected } = expectation;
  const expectedText = `expected ${isNot ? 'no deliveries' : 'deliveries'} of ${type}`;
  const details = Object.keys(expected).length === 0 ? [] : [stringify(expected)];
  return { pass, message: () => [[expectedText, ...details].join(' '), ...report].join('\n') };
}

/** For `expect.extend` of Vitest. */
export const matchers: Parameters<ExpectStatic['extend']>[0] = {
  toHaveDelivered(workspace: Partial<Workspace>, type: string, expectation: DeliveryExpectation = {}) {
    const { equals, utils, isNot } = this;
    const testers = [utils.iterableEquality, utils.subsetEquality];
    return matchDeliveries(workspace, type, expectation, {
      isNot,
      matches: (payload) => equals(payload, expectation.payload, testers),
      stringify: (expected) => utils.stringify(expected, undefined, { min: true }),
    });
  },
};
