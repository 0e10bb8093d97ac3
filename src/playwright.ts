/** `svc-emulator/playwright`: a `test` with the fixtures `emulator`, `workspace` and `receiver`, and an `expect` with `toHaveDelivered`. */
import { test as baseTest, expect as playwrightExpect } from '@playwright/test';
import type { Workspace } from './index.ts';
import type { DeliveryExpectation } from './library/delivery-expectation.ts';
import { type EmulatorFixtures, fixtures, matchDeliveries } from './library/test-runners.ts';

export type { DeliveryExpectation, EmulatorFixtures };

/** A test gets the fixtures that it names. Other options: `test.use({ emulatorOptions: { … } })`. */
export const test = baseTest.extend<Pick<EmulatorFixtures, 'receiver'>, Omit<EmulatorFixtures, 'receiver'>>({
  emulatorOptions: [{}, { scope: 'worker', option: true }],
  emulator: [fixtures.emulator, { scope: 'worker' }],
  workspace: [fixtures.workspace, { scope: 'worker' }],
  receiver: fixtures.receiver,
});

/** The `expect` of Playwright with a matcher for deliveries. */
export const expect = playwrightExpect.extend({
  /**
   * Waits until the workspace, or the default workspace of the emulator, has delivered events of the type as expected. With `.not` it
   * checks once every due attempt has ended.
   */
  toHaveDelivered(workspace: Workspace, type: string, expectation: DeliveryExpectation = {}) {
    return matchDeliveries(workspace, type, expectation, {
      isNot: this.isNot,
      matches: (payload) => hasFields(payload, expectation.payload ?? {}),
      stringify: JSON.stringify,
    });
  },
});

function hasFields(payload: unknown, expected: object): boolean {
  try {
    playwrightExpect(payload).toMatchObject(expected as Record<string, unknown>);
    return true;
  } catch {
    return false;
  }
}
