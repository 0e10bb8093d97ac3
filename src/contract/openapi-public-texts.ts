/** Summaries, descriptions and examples of the operations of `/v1`, for its OpenAPI document. */
import type { Rules } from '../profile/rules.ts';
import * as example from './openapi-examples.ts';
import type { OperationText } from './openapi-text.ts';
import type { PublicOperations } from './public-operations.ts';

export const publicTags: Readonly<Record<string, string>> = {
  Workspaces: 'Workspaces, which own events and endpoints.',
  Events: 'Events, which the service delivers to subscribed endpoints.',
  Endpoints: 'Webhook endpoints: URLs that receive events.',
};

const EXAMPLE_URL = 'https://example.com/webhooks';
const keyWorkspace =
  '(default: the workspace of the API key). Required if the key is valid for all workspaces';

const urlTexts: Readonly<Record<Rules['webhookUrl'], string>> = {
  local: 'Must use HTTPS, except for loopback and private addresses.',
  public: 'Must use HTTPS, and be publicly reachable.',
};

const wildcardTexts: Readonly<Record<Rules['wildcard'], string>> = {
  accepted: '`*` matches all event types.',
  rejected_in_production: '`*` matches all event types; it is not accepted in production.',
  rejected: '`*` is not accepted.',
};

/**
 * @param rules decide the names of two fields (gaps `event.body` and `list.workspace`), and which endpoints can be registered
 *   (gaps `webhook.url` and `webhook.wildcard`).
 */
export function createPublicTexts({
  payloadField,
  list,
  webhookUrl,
  wildcard,
}: Pick<Rules, 'payloadField' | 'list' | 'webhookUrl' | 'wildcard'>): Readonly<
  Record<keyof PublicOperations, OperationText>
> {
  return {
    getWorkspace: {
      tag: 'Workspaces',
      summary: 'Retrieve a workspace',
      description: 'Returns a workspace by its ID.',
      input: { id: 'ID of the workspace.' },
      response: 'The workspace.',
      example: { input: { id: example.ids.workspace }, output: example.workspace },
    },
    createEvent: {
      tag: 'Events',
      summary: 'Create an event',
      description:
        'Creates an event, and a delivery for each endpoint that subscribes to its type. Responds as soon as the event is stored, without waiting for its deliveries.',
      input: {
        type: 'Type of the event, in the form `<noun>.<verb>`.',
        [payloadField]: 'Data of the event (default: an empty object).',
        workspace_id: `ID of the workspace to create the event in ${keyWorkspace}.`,
      },
      response: 'The new event.',
      example: {
        input: { type: example.event.type, [payloadField]: example.event.payload },
        output: example.event,
      },
    },
    getEvent: {
      tag: 'Events',
      summary: 'Retrieve an event',
      description: 'Returns an event by its ID.',
      input: { id: 'ID of the event.' },
      response: 'The event.',
      example: { input: { id: example.ids.event }, output: example.event },
    },
    listEvents: {
      tag: 'Events',
      summary: 'List events',
      description: 'Returns the events of a workspace, newest first.',
      input: {
        [list.workspaceParameter]: `ID of the workspace whose events to list ${keyWorkspace}.`,
        starting_after: '`end_cursor` of the previous page (default: start with the newest event).',
        limit: 'Maximum number of events to return.',
        type: 'Return only events of this type.',
      },
      response: 'A page of events.',
      example: {
        input: { type: example.event.type, limit: Math.min(list.defaultLimit, list.maxLimit) },
        output: example.page(example.event),
      },
    },
    createWebhook: {
      tag: 'Endpoints',
      summary: 'Register an endpoint',
      description:
        'Registers a webhook endpoint. The response contains the secret that its deliveries are signed with. The secret cannot be retrieved later.',
      input: {
        workspace_id: 'ID of the workspace that the endpoint receives events from.',
        url: `URL that deliveries are sent to. ${urlTexts[webhookUrl]}`,
        events: `Event types that the endpoint receives. ${wildcardTexts[wildcard]}`,
      },
      response: 'The new endpoint with its secret.',
      example: {
        input: {
          workspace_id: example.ids.workspace,
          url: EXAMPLE_URL,
          events: ['order.shipped'],
        },
        output: { ...example.webhook, url: EXAMPLE_URL, secret: example.endpointSecret },
      },
    },
  };
}
