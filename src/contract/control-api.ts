/** The control plane at `/_svc`: everything that the commands, the dashboard and the library do beyond `/v1`. */
import type { OperationInput, OperationOutput } from './operation.ts';
import { clockOperations } from './operations/clock.ts';
import { deliveryOperations } from './operations/deliveries.ts';
import { emulatorOperations } from './operations/emulator.ts';
import { eventOperations } from './operations/events.ts';
import { faultOperations } from './operations/faults.ts';
import { fixtureOperations } from './operations/fixtures.ts';
import { requestOperations } from './operations/requests.ts';
import { webhookOperations } from './operations/webhooks.ts';
import { workspaceOperations } from './operations/workspaces.ts';

export const controlOperations = {
  ...emulatorOperations,
  ...workspaceOperations,
  ...webhookOperations,
  ...eventOperations,
  ...deliveryOperations,
  ...clockOperations,
  ...faultOperations,
  ...requestOperations,
  ...fixtureOperations,
};

export type ControlOperations = typeof controlOperations;
export type ControlInput<Name extends keyof ControlOperations> = OperationInput<ControlOperations[Name]>;
export type ControlOutput<Name extends keyof ControlOperations> = OperationOutput<ControlOperations[Name]>;
