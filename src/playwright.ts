/** `svc-emulator/playwright`: a `test` with the fixtures `emulator`, `workspace` and `receiver`, and an `expect` with `toHaveDelivered`. */
import { test as baseTest, expect as playwrightExpect } from '@playwright/test';
import {
  type CreateEmulatorOptions,
  createEmulator,
  createReceiver,
  type Emulator,
  type Receiver,
  type Workspace,
} from './index.ts';
import type { DeliveryExpectation } from './library/delivery-expectation.ts';
import { matchDeliveries } from './library/matchers.ts';

export type { DeliveryExpectation };

export interface WorkerFixtures {
  /** Options of the emulators. Their clocks are frozen unless `clock` says otherwise. */
  readonly emulatorOptions: CreateEmulatorOptions;
  /** One emulator for each worker. */
  readonly emulator: Emulator;
  /** One workspace for each worker, so that the application under test can keep its API key. */
  readonly workspace: Workspace;
}

export interface TestFixtures {
  /** A receiver that gets and verifies every delivery of the workspace during a test. */
  readonly receiver: Receiver;
}

/** A test gets the fixtures that it names. Other options: `test.use({ emulatorOptions: { … } })`. */
export const test = baseTest.extend<TestFixtures, WorkerFixtures>({
  emulatorOptions: [{}, { scope: 'worker', option: true }],
  emulator: [
    async ({ emulatorOptions }, use) => {
      const emulator = await createEmulator({ clock: { frozen: true }, ...emulatorOptions });
      await use(emulator);
      await emulator.close();
    },
    { scope: 'worker' },
  ],
  workspace: [
    async ({ emulator }, use) => {
      const workspace = await emulator.createWorkspace();
      await use(workspace);
      await workspace.close();
    },
    { scope: 'worker' },
  ],
  receiver: async ({ workspace }, use) => {
    const receiver = await createReceiver();
    const { id, secret } = await workspace.webhooks.create({ url: receiver.url });
    receiver.verifyWith(secret);
    await use(receiver);
    await workspace.webhooks.delete(id);
    await receiver.close();
  },
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
