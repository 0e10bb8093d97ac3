/** The public library: an emulator in this process, and a receiver for tests. */

export type { ControlPlane } from './contract/control-plane.ts';
export type { Attempt, Delivery, DeliveryDetail } from './contract/delivery-schemas.ts';
export type { ClockMove, ClockState, EmulatorStatus } from './contract/emulator-schemas.ts';
export type { Fault } from './contract/fault-schemas.ts';
export type { ApiRequest, Envelope, Event, WebhookDetail, WebhookWithSecret } from './contract/resources.ts';
export type { Seed } from './contract/seed-schema.ts';
export type { Variation } from './domain/variations.ts';
export { SvcError } from './errors.ts';
export type { Duration } from './library/argument-schemas.ts';
export type { DeliveryWait, WaitOptions } from './library/create-delivery-wait.ts';
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
// With `*`, because a project cannot extend an interface through a named re-export.
export * from './library/event-types.ts';
export type { EventSelection, Events, EventWaitOptions } from './library/events.ts';
export {
  type FuzzReceiverOptions,
  fuzzReceiver,
  type ObservedSideEffects,
} from './library/fuzz-receiver.ts';
export type {
  Outage,
  ReceiverResponse,
  ReceiverResponses,
} from './library/receiver-responses.ts';
export type { Triggered, TriggerOptions } from './library/trigger.ts';
export type { Clock, Deliveries, Faults, Requests, Webhooks, Workspace } from './library/workspace.ts';
export { VERSION } from './package-info.ts';
export type { FuzzReport } from './receiver/fuzz/fuzz.ts';
export type { FuzzProgress } from './receiver/fuzz/fuzz-session.ts';
export type { DeliverySequence } from './receiver/fuzz/sequence.ts';
export type { FuzzFailure } from './receiver/fuzz/smallest-failure.ts';
export type { ReceivedRequest } from './receiver/received-request.ts';
export type { ReceiverResponseOptions } from './receiver/receiver-server.ts';
