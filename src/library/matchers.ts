/** The matchers of `svc-emulator/vitest`. They get `expect` as a parameter, because a CommonJS module cannot import Vitest. */
import type { ExpectStatic } from 'vitest';
import { SvcError } from '../errors.ts';
import { accept } from '../validation/value-schemas.ts';
import { EventTypeName } from './argument-schemas.ts';
import { checkArguments } from './check-arguments.ts';
import {
  checkExpectedDeliveries,
  type DeliveryExpectation,
  ExpectationSchema,
  waitForExpectedDeliveries,
} from './delivery-expectation.ts';
import type { Workspace } from './workspace.ts';

/** A workspace or an emulator. */
const WorkspaceSchema = accept<object>(
  'a workspace or an emulator',
  (value) =>
    typeof Object(Object(value).clock).advance === 'function' &&
    typeof Object(Object(value).deliveries).wait === 'function',
);

/** @throws SvcError `usage` if the value of `expect` is not a workspace or an emulator */
function checkSubject(matcher: string, value: unknown): void {
  checkArguments(matcher, { 'the value of expect': WorkspaceSchema }, [value]);
}

/** Matchers for `expect.extend`. */
export function createMatchers(expect: ExpectStatic): Parameters<ExpectStatic['extend']>[0] {
  return {
    async toHaveDelivered(workspace: Workspace, type: string, expectation: DeliveryExpectation = {}) {
      checkSubject('toHaveDelivered', workspace);
      checkArguments('toHaveDelivered', { type: EventTypeName, options: ExpectationSchema }, [
        type,
        expectation,
      ]);
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
