/**
 * `svc-emulator/vitest`: a `test` with the fixtures `emulator`, `workspace` and `receiver`. Importing it adds the matcher
 * `toHaveDelivered`.
 */
import { test as baseTest, expect } from 'vitest';
import type { Workspace } from './index.ts';
import type { DeliveryExpectation } from './library/delivery-expectation.ts';
import type { EventType } from './library/event-types.ts';
import { type EmulatorFixtures, fixtures, matchDeliveries } from './library/test-runners.ts';

export type { DeliveryExpectation, EmulatorFixtures };

/** A test gets the fixtures that it names. Other options: `test.extend({ emulatorOptions: [{ … }, { scope: 'file' }] })`. */
export const test = baseTest.extend<EmulatorFixtures>({
  emulatorOptions: [{}, { scope: 'file' }],
  emulator: [fixtures.emulator, { scope: 'file' }],
  workspace: fixtures.workspace,
  receiver: fixtures.receiver,
});
export { test as it };

declare global {
  /**
   * Every assertion of Vitest extends `Chai.Assertion`. Its own `Matchers` cannot be extended for both versions: it has one type
   * parameter in Vitest 4 and two in Vitest 5, and merged declarations must have the same ones.
   */
  namespace Chai {
    interface Assertion {
      /**
       * Waits until the workspace, or the default workspace of the emulator, has delivered events of the type as expected.
       * With `.not` it checks once every due attempt has ended.
       */
      toHaveDelivered(type: EventType, expectation?: DeliveryExpectation): Promise<void>;
    }
  }
}

expect.extend({
  toHaveDelivered(workspace: Partial<Workspace>, type: string, expectation: DeliveryExpectation = {}) {
    const { equals, utils, isNot } = this;
    const testers = [utils.iterableEquality, utils.subsetEquality];
    return matchDeliveries(workspace, type, expectation, {
      isNot,
      matches: (payload) => equals(payload, expectation.payload, testers),
      stringify: (expected) => utils.stringify(expected, undefined, { min: true }),
    });
  },
});
