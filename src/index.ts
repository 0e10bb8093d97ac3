/** The public library: an emulator in this process, and a receiver for tests. */

export { SvcError } from './domain/errors.ts';
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
export type { Duration } from './library/duration.ts';
// With `*`, because a project cannot extend an interface through a named re-export.
export * from './library/event-types.ts';
export type { EventSelection, Events, EventWaitOptions } from './library/events.ts';
export type { ReceiverResponse, ReceiverResponses } from './library/receiver-responses.ts';
export type { Triggered, TriggerOptions } from './library/trigger.ts';
export type { Clock, Deliveries, Faults, Requests, Webhooks, Workspace } from './library/workspace.ts';
export type { ControlPlane } from './operations/control-plane.ts';
export type { ClockMove, ClockState, EmulatorStatus } from './operations/emulator-schemas.ts';
export type { Seed } from './operations/seed-schema.ts';
export { VERSION } from './platform/package-info.ts';
export type { ReceivedRequest } from './receivers/received-request.ts';
export type { ReceiverResponseOptions } from './receivers/receiver-server.ts';
export type { Attempt } from './resources/attempt.ts';
export type { Delivery, DeliveryDetail } from './resources/delivery.ts';
export type { WebhookDetail, WebhookWithSecret } from './resources/endpoint.ts';
export type { Envelope, Event } from './resources/event.ts';
export type { Fault } from './resources/fault.ts';
export type { ApiRequest } from './resources/request.ts';
