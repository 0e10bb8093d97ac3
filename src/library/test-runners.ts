/** The fixtures and the matcher of `svc-emulator/vitest` and `svc-emulator/playwright`. */
import { SvcError } from '../domain/errors.ts';
import { type CreateEmulatorOptions, createEmulator, type Emulator } from './create-emulator.ts';
import { createReceiver, type Receiver } from './create-receiver.ts';
import {
  checkExpectedDeliveries,
  type DeliveryExpectation,
  waitForExpectedDeliveries,
} from './delivery-expectation.ts';
import type { Workspace } from './workspace.ts';

export interface EmulatorFixtures {
  /** Options of the emulators. Clocks are frozen by default. */
  readonly emulatorOptions: CreateEmulatorOptions;
  /** One emulator for all tests of a file, or of a worker of Playwright. */
  readonly emulator: Emulator;
  /**
   * Its own API key, endpoints and clock. In Vitest, one workspace for each test. In Playwright, one for each worker, so that the
   * application under test can keep its API key.
   */
  readonly workspace: Workspace;
  /** A receiver that gets and verifies every delivery of the workspace during a test. */
  readonly receiver: Receiver;
}

type Use<Fixture> = (fixture: Fixture) => Promise<void>;

/** Each function names the fixtures that it needs in its first parameter, where test runners read them. */
export const fixtures = {
  async emulator({ emulatorOptions }: Pick<EmulatorFixtures, 'emulatorOptions'>, use: Use<Emulator>) {
    const emulator = await createEmulator({ clock: { frozen: true }, ...emulatorOptions });
    await use(emulator);
    await emulator.close();
  },
  async workspace({ emulator }: Pick<EmulatorFixtures, 'emulator'>, use: Use<Workspace>) {
    const workspace = await emulator.createWorkspace();
    await use(workspace);
    await workspace.close();
  },
  async receiver({ workspace }: Pick<EmulatorFixtures, 'workspace'>, use: Use<Receiver>) {
    const receiver = await createReceiver();
    const { id, secret } = await workspace.webhooks.create({ url: receiver.url });
    receiver.verifyWith(secret);
    await use(receiver);
    try {
      await workspace.webhooks.delete(id);
    } catch (error) {
      // The test may have deleted it.
      if (!(error instanceof SvcError && error.code === 'not_found')) throw error;
    } finally {
      await receiver.close();
    }
  },
};

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
