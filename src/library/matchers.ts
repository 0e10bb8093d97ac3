/** The matcher of `svc-emulator/vitest`. */
import type { ExpectStatic } from 'vitest';
import { SvcError } from '../domain/errors.ts';
import {
  checkExpectedDeliveries,
  type DeliveryExpectation,
  waitForExpectedDeliveries,
} from './delivery-expectation.ts';
import type { Workspace } from './workspace.ts';

/** For `expect.extend`. */
export const matchers: Parameters<ExpectStatic['extend']>[0] = {
  async toHaveDelivered(workspace: Partial<Workspace>, type: string, expectation: DeliveryExpectation = {}) {
    if (workspace?.clock === undefined || workspace.deliveries === undefined)
      throw new SvcError('usage', 'toHaveDelivered: the value of expect must be a workspace or an emulator.');
    const { equals, utils, isNot } = this;
    // The payload can have more fields than the expected one.
    const testers = [utils.iterableEquality, utils.subsetEquality];
    const matches = (payload: unknown) => equals(payload, expectation.payload, testers);
    const check = isNot ? checkExpectedDeliveries : waitForExpectedDeliveries;
    const { pass, report } = await check(workspace as Workspace, type, expectation, matches);
    const { timeout: _, ...expected } = expectation;
    const expectedText = `expected ${isNot ? 'no deliveries' : 'deliveries'} of ${type}`;
    const details =
      Object.keys(expected).length === 0 ? [] : [utils.stringify(expected, undefined, { min: true })];
    return { pass, message: () => [[expectedText, ...details].join(' '), ...report].join('\n') };
  },
};
