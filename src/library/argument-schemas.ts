/** Schemas for the arguments of the library. An option without a schema is a type error here. */

import * as v from 'valibot';
import { controlOperations } from '../contract/control-operations.ts';
import { NewFault } from '../contract/fault-schemas.ts';
import { JsonObject, Name, Speed } from '../contract/fields.ts';
import { environments } from '../domain/credentials.ts';
import { deliveryStatuses } from '../domain/delivery.ts';
import { parseDuration } from '../domain/duration.ts';
import { parseUrl } from '../domain/http-url.ts';
import { isObject } from '../domain/json.ts';
import { profileNames } from '../profile/rules.ts';
import type { CreateEmulatorOptions, CreateWorkspaceOptions } from './create-emulator.ts';
import type { ReceiverOptions } from './create-receiver.ts';
import type { DeliveryExpectation } from './delivery-expectation.ts';
import type { WaitOptions } from './delivery-wait.ts';
import type { Duration } from './duration-argument.ts';
import type { EventSelection, EventWaitOptions } from './events.ts';
import type { Outage, ReceiverResponseOptions } from './receiver-responses.ts';
import type { TriggerOptions } from './trigger.ts';

/** A schema for each property of an interface. */
type SchemasOf<Options> = Readonly<Record<keyof Options, v.GenericSchema>>;

const OptionalString = v.optional(v.string());
const OptionalBoolean = v.optional(v.boolean());

const DURATION_MESSAGE = 'must be a number of milliseconds, or a string such as 90s, 5m, 1h30m or 3d';
const DurationValue = v.custom<Duration>((value) => {
  const ms = typeof value === 'string' ? parseDuration(value) : value;
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0;
}, DURATION_MESSAGE);

const isWholeNumber = (value: unknown, min: number, max: number) =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;

const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.custom<number>(
    (value) => isWholeNumber(value, min, max),
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${min} or more`
      : `must be a whole number from ${min} to ${max}`,
  );

const isUrl = (value: unknown) => {
  const url = typeof value === 'string' ? parseUrl(value) : null;
  return url !== null && /^https?:$/.test(url.protocol);
};
const HttpUrl = v.custom<string>(isUrl, 'must be an http or https URL');
/** Requires an offset, because a time without one depends on the time zone. `Date.parse` also accepts text such as `order 5`. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;
const Time = v.custom<Date | string>(
  (value) =>
    value instanceof Date
      ? !Number.isNaN(value.getTime())
      : typeof value === 'string' && ISO_TIME.test(value) && !Number.isNaN(Date.parse(value)),
  'must be a Date or an ISO 8601 time with Z or an offset',
);

/** Any function. Its result is checked when it is called. */
const Callback = v.custom<() => unknown>((value) => typeof value === 'function', 'must be a function');
const Id = v.custom<string>((value) => typeof value === 'string' && value !== '', 'must be an ID');
export const EventTypeName = v.custom<string>(
  (value) => typeof value === 'string' && value !== '',
  'must be an event type, such as order.shipped',
);
const Scheme = v.custom<string>(
  (value) => typeof value === 'string' || isObject(value),
  'must be the name of a scheme or a scheme object',
);
const Secret = v.custom<string>(
  (value) =>
    [value].flat().every((secret) => typeof secret === 'string' && secret !== '') &&
    [value].flat().length > 0,
  'must be a secret or an array of secrets',
);

const AboveZero = v.custom<number>(
  (value) => typeof value === 'number' && value > 0,
  'must be a number above 0',
);

const clockSchemas = {
  speed: v.optional(Speed),
  frozen: OptionalBoolean,
} satisfies SchemasOf<NonNullable<CreateEmulatorOptions['clock']>>;

const FORWARD_TO_MESSAGE = 'must be { url, events } with an http or https URL';

export const EmulatorOptionsSchema = v.optional(
  v.strictObject({
    profile: v.optional(v.picklist(profileNames)),
    overrides: v.optional(v.record(v.string(), v.unknown())),
    scheme: v.optional(Scheme),
    environment: v.optional(v.picklist(environments)),
    clock: v.optional(v.strictObject(clockSchemas)),
    randomSeed: v.nullish(v.custom<number>((value) => Number.isSafeInteger(value), 'must be a whole number')),
    wallClock: v.nullish(
      v.custom<Date>(
        (value) => value instanceof Date && !Number.isNaN(value.getTime()),
        'must be a valid Date',
      ),
    ),
    seed: v.nullish(v.custom<object>(isObject, 'must be an object, see docs/seed.md')),
    db: OptionalString,
    keepDays: v.nullish(AboveZero),
    keepRequests: v.nullish(AboveZero),
    keepMegabytes: v.nullish(AboveZero),
    synchronous: v.optional(v.picklist(['FULL', 'NORMAL'])),
    listen: OptionalBoolean,
    host: OptionalString,
    port: v.optional(wholeNumber(0, 65_535)),
    https: v.optional(
      v.lazy((value) =>
        isObject(value)
          ? v.strictObject({ cert: v.string(), key: v.string() })
          : v.literal(true, 'must be true or { cert, key }'),
      ),
    ),
    allowHost: v.optional(v.array(v.string())),
    publicUrl: v.nullish(HttpUrl),
    tunnel: OptionalBoolean,
    controlToken: v.nullish(v.string()),
    forwardTo: v.nullish(
      v.lazy((value) =>
        isObject(value)
          ? v.strictObject({ url: HttpUrl, events: v.array(v.string()) })
          : v.custom(() => false, FORWARD_TO_MESSAGE),
      ),
    ),
    ca: OptionalString,
    proxy: v.optional(v.strictObject({ url: v.string(), except: v.optional(v.array(v.string())) })),
    listenerGraceMs: v.optional(wholeNumber(0)),
    projectFolder: OptionalString,
    dashboardFolder: OptionalString,
    internalErrorLog: v.optional(v.custom<object>(isObject, 'must be an object')),
    faultLog: v.optional(v.custom<object>(isObject, 'must be an object')),
  } satisfies SchemasOf<CreateEmulatorOptions>),
);

export const WorkspaceOptionsSchema = v.optional(
  v.strictObject({
    name: v.optional(Name),
    clock: v.optional(v.strictObject(clockSchemas)),
  } satisfies SchemasOf<CreateWorkspaceOptions>),
);

const OptionalDuration = v.optional(DurationValue);
export const TimeoutOptionsSchema = v.optional(v.strictObject({ timeout: OptionalDuration }));
const OptionalSettledStatus = v.optional(
  v.picklist(deliveryStatuses.filter((status) => status !== 'pending')),
);

const STATUS_MESSAGE = 'must be a status from 200 to 999';
const Status = v.custom<number>((value) => isWholeNumber(value, 200, 999), STATUS_MESSAGE);

const responseSchemas = {
  status: v.optional(Status),
  headers: v.optional(
    v.record(
      v.string(),
      v.union([v.string(), v.array(v.string())], 'must be a string or an array of strings'),
    ),
  ),
  body: v.optional(
    v.custom<string>(
      (value) => typeof value === 'string' || ArrayBuffer.isView(value),
      'must be a string or a Uint8Array',
    ),
  ),
  drop: OptionalBoolean,
};

const ResponseOptionsSchema = v.strictObject({
  ...responseSchemas,
  delayMs: v.optional(
    v.custom<number>((value) => typeof value === 'number' && value >= 0, 'must be a number of milliseconds'),
  ),
  after: v.optional(
    v.custom<object>((value) => typeof Object(value).then === 'function', 'must be a promise'),
  ),
} satisfies SchemasOf<ReceiverResponseOptions>);

const OutageSchema = v.strictObject({
  ...responseSchemas,
  downFor: DurationValue,
} satisfies SchemasOf<Outage>);

export const ResponseSchema = v.lazy((value) => (isObject(value) ? ResponseOptionsSchema : Status));

export const ResponsesSchema = v.lazy((value) => {
  if (typeof value === 'function') return Callback;
  if (Array.isArray(value)) return v.array(ResponseSchema);
  if (isObject(value)) return 'downFor' in Object(value) ? OutageSchema : ResponseOptionsSchema;
  return v.custom<number>(
    (status) => isWholeNumber(status, 200, 999),
    `${STATUS_MESSAGE}, an object such as { status: 503 }, an array of these or a function`,
  );
});

export const ReceiverOptionsSchema = v.optional(
  v.strictObject({
    port: v.optional(wholeNumber(0, 65_535)),
    certificate: v.optional(v.strictObject({ cert: v.string(), key: v.string() })),
    timeout: OptionalDuration,
    clock: v.optional(
      v.custom<object>(
        (value) => typeof Object(value).show === 'function',
        'must be the clock of a workspace',
      ),
    ),
    secret: v.optional(Secret),
    scheme: v.optional(Scheme),
    toleranceMs: v.optional(
      v.custom<number>(
        (value) => typeof value === 'number' && value >= 0,
        'must be a number of milliseconds',
      ),
    ),
  } satisfies SchemasOf<ReceiverOptions>),
);

export const receiverParameters = {
  respond: { responses: ResponsesSchema },
  respondTo: { type: EventTypeName, responses: ResponsesSchema },
  verifyWith: { secret: Secret },
  waitFor: { count: wholeNumber(0), options: TimeoutOptionsSchema },
  nth: { n: wholeNumber(1), options: TimeoutOptionsSchema },
};

export const ExpectationSchema = v.optional(
  v.strictObject({
    times: v.optional(wholeNumber(0)),
    status: OptionalSettledStatus,
    to: v.optional(v.string()),
    payload: v.optional(JsonObject),
    timeout: OptionalDuration,
  } satisfies SchemasOf<DeliveryExpectation>),
);

const { input: deliveryFilter } = controlOperations.listDeliveries;
/** The fields of a list operation that the library sets. */
const fieldsSetByLibrary = ['workspace_id', 'limit', 'starting_after'] as const;
const DeliveryFilterSchema = v.omit(deliveryFilter, fieldsSetByLibrary);

export const deliveryParameters = {
  list: { filter: v.optional(DeliveryFilterSchema) },
  get: { id: Id },
  replay: { id: Id, changes: v.optional(v.omit(controlOperations.replayDelivery.input, ['id'])) },
  wait: {
    filter: v.optional(v.omit(DeliveryFilterSchema, ['status', 'until'])),
    options: v.optional(
      v.strictObject({
        status: OptionalSettledStatus,
        count: v.optional(wholeNumber(1)),
        timeout: OptionalDuration,
      } satisfies SchemasOf<WaitOptions>),
    ),
  },
  snapshot: { filter: v.optional(DeliveryFilterSchema) },
};

export const eventParameters = {
  list: { filter: v.optional(v.omit(controlOperations.listEvents.input, fieldsSetByLibrary)) },
  get: { id: Id },
  wait: {
    selection: v.optional(
      v.strictObject({
        type: v.optional(EventTypeName),
        where: v.optional(Callback),
      } satisfies SchemasOf<EventSelection>),
    ),
    options: v.optional(
      v.strictObject({
        count: v.optional(wholeNumber(1)),
        timeout: OptionalDuration,
      } satisfies SchemasOf<EventWaitOptions>),
    ),
  },
};

export const clockParameters = {
  show: {},
  advance: { by: DurationValue },
  advanceTo: { time: Time },
  next: {},
  settle: {},
  freeze: {},
  resume: {},
  speed: { factor: Speed },
};

export const faultParameters = {
  add: { fault: v.omit(NewFault, ['workspace_id']) },
  list: {},
  clear: { id: v.optional(Id) },
};

export const requestParameters = {
  list: { filter: v.optional(v.omit(controlOperations.listRequests.input, fieldsSetByLibrary)) },
};

export const webhookParameters = {
  create: { webhook: v.omit(controlOperations.createWebhook.input, ['workspace_id', 'listener', 'reuse']) },
  list: {},
  get: { id: Id },
  update: { id: Id, changes: v.omit(controlOperations.updateWebhook.input, ['id']) },
  delete: { id: Id },
  rotateSecret: { id: Id, options: v.optional(v.omit(controlOperations.rotateWebhookSecret.input, ['id'])) },
};

export const triggerParameters = {
  type: EventTypeName,
  payload: v.optional(JsonObject),
  options: v.optional(
    v.strictObject({ idempotencyKey: v.optional(v.string()) } satisfies SchemasOf<TriggerOptions>),
  ),
};

/** A workspace or an emulator. */
export const WorkspaceSchema = v.custom<object>(
  (value) =>
    typeof Object(Object(value).clock).advance === 'function' &&
    typeof Object(Object(value).deliveries).wait === 'function',
  'must be a workspace or an emulator',
);
