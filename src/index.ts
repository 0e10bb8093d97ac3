/** The public library: the same emulator, in this process, and a receiver for what it delivers. */
export type { Attempt, Delivery, DeliveryDetail } from './contract/delivery-schemas.ts';
export type { ClockMove, ClockState, EmulatorStatus } from './contract/emulator-schemas.ts';
export type { Fault } from './contract/fault-schemas.ts';
export type { ApiRequest, Event, WebhookDetail, WebhookWithSecret } from './contract/resources.ts';
export type { Seed } from './contract/seed-schema.ts';
export type { ControlPlane } from './control/control-plane.ts';
export { SvcError } from './errors.ts';
export {
  type CreateEmulatorOptions,
  type CreateWorkspaceOptions,
  createEmulator,
  type Emulator,
} from './library/create-emulator.ts';
export {
  createReceiver,
  type Receiver,
  type ReceiverOptions,
  type ReceiverWaitOptions,
} from './library/create-receiver.ts';
export type { DeliverySnapshot } from './library/delivery-snapshot.ts';
export type { DeliveryWait, WaitOptions } from './library/delivery-wait.ts';
export type { Duration } from './library/duration-argument.ts';
// With `*`: a named re-export cannot be extended by a project.
export * from './library/event-types.ts';
export type { EventSelection, Events, EventWaitOptions } from './library/events.ts';
export type { Envelope, ReceivedRequest } from './library/received-request.ts';
export type { Answer, Answers, DetailedAnswer, Outage } from './library/receiver-responses.ts';
export type { Triggered, TriggerOptions } from './library/trigger.ts';
export type { Clock, Deliveries, Faults, Requests, Webhooks, Workspace } from './library/workspace.ts';
export { VERSION } from './version.ts';
