/** The matchers of `svc-emulator/vitest`. They get `expect` as a parameter, because a CommonJS module cannot import Vitest. */
import type { ExpectStatic } from 'vitest';
import { SvcError } from '../domain/errors.ts';
import {
  checkExpectedDeliveries,
  type DeliveryExpectation,
  waitForExpectedDeliveries,
} from './delivery-expectation.ts';
import type { Workspace } from './workspace.ts';

/** @throws SvcError `usage` if the value of `expect` is not a workspace or an emulator */
function checkSubject(matcher: string, value: Partial<Workspace> | undefined): void {
  if (value?.clock === undefined || value.deliveries === undefined)
    throw new SvcError('usage', `${matcher}: the value of expect must be a workspace or an emulator.`);
}

/** Matchers for `expect.extend`. */
export function createMatchers(expect: ExpectStatic): Parameters<ExpectStatic['extend']>[0] {
  return {
    async toHaveDelivered(workspace: Workspace, type: string, expectation: DeliveryExpectation = {}) {
      checkSubject('toHaveDelivered', workspace);
      const { equals, utils, isNot } = this;
      // The payload can have more fields than the expected one.
      const testers = [utils.iterableEquality, utils.subsetEquality];
      const matches = (payload: unknown) => equals(payload, expectation.payload, testers);
      const check = isNot ? checkExpectedDeliveries : waitForExpectedDeliveries;
      const { pass, report } = await check(workspace, type, expectation, matches);
      const { timeout: _, ...expected } = expectation;
      const expectedText = `expected ${isNot ? 'no deliveries' : 'deliveries'} of ${type}`;
      const details =
        Object.keys(expected).length === 0 ? [] : [utils.stringify(expected, undefined, { min: true })];
      return { pass, message: () => [[expectedText, ...details].join(' '), ...report].join('\n') };
    },
    async toMatchDeliveries(workspace: Workspace, hint?: string) {
      checkSubject('toMatchDeliveries', workspace);
      if (this.isNot) throw new SvcError('usage', 'toMatchDeliveries cannot be used with .not.');
      await workspace.clock.advance(0);
      const deliveries = await workspace.deliveries.snapshot();
      expect(deliveries).toMatchSnapshot(hint);
      return { pass: true, message: () => '' };
    },
  };
}
