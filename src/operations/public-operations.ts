/** The operations of the described service at `/v1` (§4), under the rules of a profile. */
import * as v from 'valibot';
import type { Environment } from '../domain/credentials.ts';
import { EVENT_TYPE_PATTERN, isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { publicRoutes } from '../domain/public-routes.ts';
import { findWebhookUrlProblem } from '../domain/webhook-url.ts';
import type { Rules } from '../profile/rules.ts';
import { toFilterFields } from '../resources/define-resource.ts';
import { CreatedWebhook, publicEndpointFields } from '../resources/endpoint.ts';
import {
  Event,
  EventPage,
  eventSettings,
  eventTable,
  newEventFields,
  publicEventFilters,
} from '../resources/event.ts';
import { wholeNumberFrom } from '../resources/value-schemas.ts';
import { described, eventTypeOf, idField, idOf } from '../resources/values.ts';
import { Workspace } from '../resources/workspace.ts';
import type { Operation } from './operation.ts';

const MAX_SUBSCRIPTIONS = 100;

const urlTexts: Readonly<Record<Rules['webhookUrl'], string>> = {
  local: 'Must use HTTPS, except for loopback and private addresses.',
  public: 'Must use HTTPS, and be publicly reachable.',
};

const wildcardTexts: Readonly<Record<Rules['wildcard'], string>> = {
  accepted: '`*` matches all event types.',
  rejected_in_production: '`*` matches all event types; it is not accepted in production.',
  rejected: '`*` is not accepted.',
};

export interface PublicOperationOptions {
  readonly rules: Rules;
  readonly environment: Environment;
  /** The event types that have a fixture. No other is valid if the catalog is closed (gap `event.catalog`). */
  readonly eventTypes: ReadonlySet<string>;
}

/** The five operations of §4. */
export function createPublicOperations(options: PublicOperationOptions) {
  const { rules } = options;
  return {
    getWorkspace: {
      ...publicRoutes.getWorkspace,
      summary: 'Retrieve a workspace',
      description: 'Returns a workspace by its ID.',
      input: v.strictObject(idField('workspace')),
      output: Workspace,
      status: 200,
      scope: 'workspaces:read',
    },
    createEvent: {
      ...publicRoutes.createEvent,
      summary: 'Create an event',
      description:
        'Creates an event, and a delivery for each endpoint that subscribes to its type. Responds as soon as the event is stored, without waiting for its deliveries.',
      input: v.strictObject({
        type: described(eventTable.type, createEventTypeSchema(options)),
        ...toField(rules.payloadField, v.optional(newEventFields.payload)),
        ...eventSettings,
        workspace_id: described(
          'ID of the workspace to create the event in (default: the workspace of the API key). Required if the key is valid for all workspaces.',
          v.optional(idOf('workspace')),
        ),
      }),
      output: Event,
      status: 201,
      scope: 'events:write',
    },
    getEvent: {
      ...publicRoutes.getEvent,
      summary: 'Retrieve an event',
      description: 'Returns an event by its ID.',
      input: v.strictObject(idField('event')),
      output: Event,
      status: 200,
      scope: 'events:read',
    },
    listEvents: {
      ...publicRoutes.listEvents,
      summary: 'List events',
      description: 'Returns the events of a workspace, newest first.',
      input: v.pipe(
        v.strictObject({
          ...toField(
            rules.list.workspaceParameter,
            described(
              'ID of the workspace whose events to list (default: the workspace of the API key). Required if the key is valid for all workspaces.',
              v.optional(idOf('workspace')),
            ),
          ),
          starting_after: described(
            '`end_cursor` of the previous page (default: first page).',
            v.optional(idOf('event')),
          ),
          limit: described(
            'Maximum number of events to return.',
            v.optional(wholeNumberFrom(1, rules.list.maxLimit), rules.list.defaultLimit),
          ),
          ...toFilterFields(publicEventFilters),
          // Unlike the control plane, `/v1` rejects a text that cannot be a type.
          type: described(publicEventFilters.type, v.optional(createEventType(rules)), rules.sender.example),
        }),
        // Handlers read `workspaceId`, because the name of the parameter depends on the rules.
        v.transform((input) => ({
          ...input,
          workspaceId: (input as Record<string, unknown>)[rules.list.workspaceParameter] as
            | string
            | undefined,
        })),
      ),
      output: EventPage,
      status: 200,
      scope: 'events:read',
    },
    createWebhook: {
      ...publicRoutes.createWebhook,
      summary: 'Register an endpoint',
      description:
        'Registers a webhook endpoint. The response contains the secret that its deliveries are signed with. The secret cannot be retrieved later.',
      input: v.strictObject({
        workspace_id: described(
          'ID of the workspace that the endpoint receives events from.',
          idOf('workspace'),
        ),
        ...createWebhookFields(options),
      }),
      output: CreatedWebhook,
      status: 201,
      scope: 'webhooks:manage',
    },
  } satisfies Readonly<Record<string, Operation>>;
}

/** A field with a name that the rules decide. The compiler does not know the name, so the type has no fields. */
function toField(name: string, schema: v.GenericSchema): Record<never, v.GenericSchema> {
  return { [name]: schema };
}

export type PublicOperations = ReturnType<typeof createPublicOperations>;

const NOT_IN_CATALOG_MESSAGE = 'is not in the catalog of event types; list them with: svc fixtures list';

/** An event type of the sender (§2). */
function createEventType({ sender }: Rules) {
  return eventTypeOf(sender.types, describeTypes(sender), sender.example);
}

function describeTypes({ name, types, example }: Rules['sender']): string {
  const form =
    types === EVENT_TYPE_PATTERN
      ? 'have the form <noun>.<verb> in lowercase'
      : `be an event type of the sender ${name}`;
  return `must ${form}, such as ${example}`;
}

/** The type of a new event (gap `event.catalog`). */
export function createEventTypeSchema(options: PublicOperationOptions) {
  return v.pipe(
    createEventType(options.rules),
    v.check((type) => isKnownType(options, type), NOT_IN_CATALOG_MESSAGE),
  );
}

/** Whether the event type is valid (gap `event.catalog`). */
function isKnownType({ rules, eventTypes }: PublicOperationOptions, type: string): boolean {
  return rules.eventCatalog === 'open' || eventTypes.has(type);
}

/** The endpoint fields shared by `/v1`, the seed and the control plane, checked by the rules of the profile. */
export function createWebhookFields(options: PublicOperationOptions) {
  const { rules } = options;
  return {
    ...publicEndpointFields,
    url: described(
      `URL that deliveries are sent to. ${urlTexts[rules.webhookUrl]}`,
      createWebhookUrlSchema(rules),
      'https://example.com/webhooks',
    ),
    events: described(
      `Event types that the endpoint receives. ${wildcardTexts[rules.wildcard]}`,
      createSubscriptionsSchema(options),
      [rules.sender.example],
    ),
  };
}

/** The URL of an endpoint (gap `webhook.url`). */
function createWebhookUrlSchema(rules: Rules) {
  return v.pipe(
    v.string(),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const problem = findWebhookUrlProblem(dataset.value, rules.webhookUrl);
      if (problem !== null) addIssue({ message: problem });
    }),
    v.metadata({ jsonSchema: { format: 'uri' } }),
  );
}

/** The event types of an endpoint (§2, gaps `webhook.wildcard` and `event.catalog`). */
function createSubscriptionsSchema(options: PublicOperationOptions) {
  const { wildcard, sender } = options.rules;
  const isWildcardRejected =
    wildcard === 'rejected' ||
    (wildcard === 'rejected_in_production' && options.environment === 'production');
  return v.pipe(
    v.array(
      v.pipe(
        v.string(),
        v.check(
          (type) => type !== WILDCARD_SUBSCRIPTION || !isWildcardRejected,
          'must name the event types: the wildcard * is not accepted in this environment',
        ),
        v.check(
          (type) => type === WILDCARD_SUBSCRIPTION || isEventType(type, sender.types),
          describeTypes(sender),
        ),
        v.check(
          (type) => type === WILDCARD_SUBSCRIPTION || isKnownType(options, type),
          NOT_IN_CATALOG_MESSAGE,
        ),
        v.metadata({ jsonSchema: { pattern: `^\\*$|${sender.types.source}` } }),
      ),
    ),
    v.minLength(1, 'must name at least one event type'),
    v.maxLength(MAX_SUBSCRIPTIONS, `must not name more than ${MAX_SUBSCRIPTIONS} event types`),
    v.check((types) => new Set(types).size === types.length, 'must not name an event type twice'),
    v.metadata({ jsonSchema: { uniqueItems: true } }),
  );
}
