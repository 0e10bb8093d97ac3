/** The operations of the control plane at `/_svc`, which the commands, the dashboard and the library use. */
import type { OperationInput, OperationOutput } from './operation.ts';
import { clockOperations } from './operations/clock-operations.ts';
import { deliveryOperations } from './operations/delivery-operations.ts';
import { emulatorOperations } from './operations/emulator-operations.ts';
import { eventOperations } from './operations/event-operations.ts';
import { faultOperations } from './operations/fault-operations.ts';
import { fixtureOperations } from './operations/fixture-operations.ts';
import { requestOperations } from './operations/request-operations.ts';
import { webhookOperations } from './operations/webhook-operations.ts';
import { workspaceOperations } from './operations/workspace-operations.ts';

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
