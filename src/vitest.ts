/**
 * `svc-emulator/vitest`: a `test` with the fixtures `emulator`, `workspace` and `receiver`. Importing it adds the matcher
 * `toHaveDelivered`.
 */
import { test as baseTest, expect } from 'vitest';
import {
  type CreateEmulatorOptions,
  createEmulator,
  createReceiver,
  type Emulator,
  type Receiver,
  type Workspace,
} from './index.ts';
import type { DeliveryExpectation } from './library/delivery-expectation.ts';
import type { EventType } from './library/event-types.ts';
import { matchers } from './library/matchers.ts';

export type { DeliveryExpectation };

export interface EmulatorFixtures {
  /** Options of the emulator of a file. Its clocks are frozen unless `clock` says otherwise. */
  readonly emulatorOptions: CreateEmulatorOptions;
  /** One emulator for all tests of a file. */
  readonly emulator: Emulator;
  /** One workspace for each test, with its own API key, endpoints and clock. */
  readonly workspace: Workspace;
  /** A receiver that gets and verifies every delivery of the workspace. */
  readonly receiver: Receiver;
}

/** A test gets the fixtures that it names. Other options: `test.extend({ emulatorOptions: [{ … }, { scope: 'file' }] })`. */
export const test = baseTest.extend<EmulatorFixtures>({
  emulatorOptions: [{}, { scope: 'file' }],
  emulator: [
    async ({ emulatorOptions }, use) => {
      const emulator = await createEmulator({ clock: { frozen: true }, ...emulatorOptions });
      await use(emulator);
      await emulator.close();
    },
    { scope: 'file' },
  ],
  workspace: async ({ emulator }, use) => {
    const workspace = await emulator.createWorkspace();
    await use(workspace);
    await workspace.close();
  },
  receiver: async ({ workspace }, use) => {
    const receiver = await createReceiver();
    const { secret } = await workspace.webhooks.create({ url: receiver.url });
    receiver.verifyWith(secret);
    await use(receiver);
    await receiver.close();
  },
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

expect.extend(matchers);
