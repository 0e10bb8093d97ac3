/** Summaries, descriptions and examples of the operations of the control plane, for its OpenAPI document. */
import type { ControlOperations } from './control-operations.ts';
import * as example from './openapi-examples.ts';
import { newFaultTexts, pageFields } from './openapi-schema-texts.ts';
import type { OperationTexts } from './openapi-text.ts';
import type { StreamInput, StreamItem } from './stream-schemas.ts';

/** In the order of the document and of the reference page. */
export const controlTags: Readonly<Record<string, string>> = {
  Emulator: 'Show, reset, snapshot and stop the emulator.',
  Clock: 'The schedule clock of a workspace, which decides when retries are due.',
  Deliveries: 'Deliveries, their attempts and signatures.',
  Faults: 'Faults that you inject into requests and deliveries.',
  Events: 'Stored events, with details that `/v1` does not return.',
  Endpoints: 'Endpoints, including settings that `/v1` does not support.',
  Workspaces: 'Workspaces and API keys.',
  'Request log': 'Requests to `/v1`.',
  Fixtures: 'Sample payloads for event types.',
  'Live stream': 'Changes as server-sent events.',
};

const workspaceFilter = 'Only this workspace (default: all workspaces).';
const clockWorkspace = 'Workspace of the clock (default: the default workspace).';
const pageInputTexts = {
  limit: 'Maximum number of items to return.',
  starting_after: '`end_cursor` of the previous page (default: the newest items).',
};
const TIME_FORMS = 'an ISO 8601 time, or a duration before now, such as `1h`';
const timeRangeTexts = {
  since: `Only items created at or after this schedule time: ${TIME_FORMS}.`,
  until: `Only items created before this schedule time: ${TIME_FORMS}.`,
};
const deliveryFilterTexts = {
  workspace_id: workspaceFilter,
  status:
    'Only deliveries with this status. `pending` includes paused deliveries; `paused` selects only those.',
  event_id: 'Only deliveries of this event.',
  type: 'Only deliveries of this event type.',
  webhook_id: 'Only deliveries to this endpoint.',
  text: 'Only deliveries with this text in an ID, the type, the URL or the body. The search is case-insensitive.',
  ...timeRangeTexts,
};
const webhookId = 'ID of the endpoint.';
const deliveryId = 'ID of the delivery.';
const attemptNumber = 'Number of the attempt (default: the last one).';
const verificationInputTexts = {
  id: deliveryId,
  attempt: attemptNumber,
  secrets: 'Secrets that the receiver verifies with (default: those of the endpoint).',
  payload_base64: 'Body that the receiver received, in base64 (default: the body that was sent).',
  now: 'Time of the verification (default: the time of the attempt).',
  tolerance_ms:
    'Maximum difference between the timestamp and `now`, in milliseconds (default: the tolerance of the profile).',
  computed:
    'Digest that the receiver computed. The result then names the mistake that produces this digest. `now` and `tolerance_ms` are ignored.',
};
const webhookSettingTexts = {
  url: 'URL that deliveries are sent to.',
  headers: 'Headers to add to each delivery.',
  skip_verify: 'Skip verification of the TLS certificate of the receiver.',
};
const EXAMPLE_URL = 'http://localhost:3000/webhooks';
const SNAPSHOT_PATH = '/tmp/state.svc';

export const controlTexts: OperationTexts<ControlOperations> = {
  getStatus: {
    tag: 'Emulator',
    summary: 'Show the emulator status',
    description: 'Returns the addresses, credentials and settings of the running emulator.',
    input: {},
    response: 'Status of the running emulator.',
    example: { input: {}, output: example.status },
  },
  getDiagnosis: {
    tag: 'Emulator',
    summary: 'Check the database',
    description:
      'Runs an integrity check of the database. The emulator does not respond to other requests during the check.',
    input: {},
    response: 'The result of the check.',
    example: {
      input: {},
      output: {
        database: { size_bytes: 143_360, schema_version: 2, newest_schema_version: 2, damage: [] },
      },
    },
  },
  reset: {
    tag: 'Emulator',
    summary: 'Reset the state',
    description:
      'Restores the state that the emulator had at startup. If you have loaded a snapshot or restored the database file since then, a reset restores that state instead. Call it before each test.',
    input: {},
    response: 'The emulator after the reset.',
    example: { input: {}, output: example.status },
  },
  saveSnapshot: {
    tag: 'Emulator',
    summary: 'Save a snapshot',
    description:
      'Writes the whole state to a file on the machine that runs the emulator. The write is atomic.',
    input: { path: 'Absolute path of the file to write.' },
    response: 'The file that was written.',
    example: {
      input: { path: SNAPSHOT_PATH },
      output: { path: SNAPSHOT_PATH, size_bytes: 143_360, saved_at: '2026-11-20T14:05:00.000Z' },
    },
  },
  loadSnapshot: {
    tag: 'Emulator',
    summary: 'Load a snapshot',
    description: 'Replaces the whole state with a snapshot. A later reset restores the snapshot.',
    input: { path: 'Absolute path of the snapshot.' },
    response: 'The emulator with the state of the snapshot.',
    example: { input: { path: SNAPSHOT_PATH }, output: example.status },
  },
  restoreDatabase: {
    tag: 'Emulator',
    summary: 'Restore the database file',
    description:
      'Recreates the database file if it was removed while the emulator was running. Responds with 409 if the file exists, and with 503 if it was replaced or truncated. A later reset restores the current state.',
    input: {},
    response: 'The emulator with its database file restored.',
    example: { input: {}, output: example.status },
  },
  stop: {
    tag: 'Emulator',
    summary: 'Stop the emulator',
    description: 'Responds, then stops the emulator.',
    input: {},
    response: 'The emulator stops.',
    output: { stopping: 'Always `true`.' },
    example: { input: {}, output: { stopping: true } },
  },

  getClock: {
    tag: 'Clock',
    summary: 'Show the clock',
    description: 'Returns the schedule time, its speed and the next due time.',
    input: { workspace_id: clockWorkspace },
    response: 'The clock.',
    example: { input: {}, output: example.clockState },
  },
  setClock: {
    tag: 'Clock',
    summary: 'Update the clock',
    description:
      'Changes the speed of the clock, freezes it or resumes it. The schedule time itself does not change.',
    input: {
      workspace_id: clockWorkspace,
      speed: 'Seconds of schedule time for each second of real time.',
      frozen: '`true` freezes the clock, `false` resumes it.',
    },
    response: 'The clock after the change.',
    example: { input: { frozen: true }, output: { ...example.clockState, rate: 0 } },
  },
  advanceClock: {
    tag: 'Clock',
    summary: 'Advance the clock',
    description:
      'Moves the clock forward by `ms` or to `to`. Each attempt on the way is sent at its due time. Responds when all attempts that became due have ended.',
    input: {
      workspace_id: clockWorkspace,
      ms: 'Milliseconds of schedule time to advance by.',
      to: 'Schedule time to advance to. It must not be before the current schedule time.',
    },
    response: 'The clock after the move, with the attempts that the move caused.',
    example: { input: { ms: 270_000 }, output: example.clockMove },
  },
  nextClock: {
    tag: 'Clock',
    summary: 'Advance the clock to the next attempt',
    description:
      'Moves the clock to the next due time. Responds when all attempts that became due have ended.',
    input: { workspace_id: clockWorkspace },
    response: 'The clock after the move, with the attempts that the move caused.',
    example: { input: {}, output: example.clockMove },
  },
  settleClock: {
    tag: 'Clock',
    summary: 'Advance the clock until all deliveries are settled',
    description:
      'Moves the clock forward until no delivery is pending. Deliveries to disabled endpoints are ignored.',
    input: { workspace_id: clockWorkspace },
    response: 'The clock after the move, with the attempts that the move caused.',
    example: { input: {}, output: example.clockMove },
  },

  listDeliveries: {
    tag: 'Deliveries',
    summary: 'List deliveries',
    description: 'Returns deliveries, newest first.',
    input: { ...pageInputTexts, ...deliveryFilterTexts },
    response: 'A page of deliveries.',
    output: pageFields,
    example: {
      input: { status: 'pending', since: '1h' },
      output: example.page(example.delivery),
    },
  },
  listDue: {
    tag: 'Deliveries',
    summary: 'List deliveries by due time',
    description:
      'Returns the deliveries with a planned attempt, in order of due time. Deliveries to disabled endpoints are not included.',
    input: { workspace_id: workspaceFilter, limit: 'Maximum number of deliveries to return.' },
    response: 'The deliveries that are due next.',
    output: { data: 'Deliveries in the order of their due times.' },
    example: { input: { limit: 10 }, output: { data: [example.delivery] } },
  },
  listAttempts: {
    tag: 'Deliveries',
    summary: 'List attempts',
    description: 'Returns attempts of all deliveries, newest first.',
    input: {
      ...pageInputTexts,
      workspace_id: workspaceFilter,
      webhook_id: 'Only attempts to this endpoint.',
      delivery_id: 'Only attempts of this delivery.',
      since: `Only attempts sent at or after this wall time: ${TIME_FORMS}.`,
    },
    response: 'A page of attempts.',
    output: pageFields,
    example: { input: { since: '1h' }, output: example.page(example.attemptSummary) },
  },
  getDelivery: {
    tag: 'Deliveries',
    summary: 'Show a delivery',
    description:
      'Returns a delivery with all attempts: what was sent, what came back, and whether the signature is valid.',
    input: { id: deliveryId },
    response: 'The delivery with its attempts.',
    example: {
      input: { id: example.ids.delivery },
      output: {
        ...example.delivery,
        attempts: [example.attemptDetail],
        planned_attempts: example.plannedAttempts,
      },
    },
  },
  replayDelivery: {
    tag: 'Deliveries',
    summary: 'Replay a delivery',
    description:
      'Sends a delivery again, as a new attempt. With `new_id`, `url` or `body` it sends a new delivery instead. Responds before the attempt is sent.',
    input: {
      id: deliveryId,
      new_id: 'Send a new delivery with its own ID.',
      url: 'Send a new delivery to this URL.',
      body: 'Send a new delivery with this body, as JSON text.',
    },
    response: 'The delivery that will be sent.',
    example: {
      input: { id: example.ids.delivery, new_id: true },
      output: example.replay,
    },
  },
  describeSignature: {
    tag: 'Deliveries',
    summary: 'Explain a signature',
    description:
      'Explains how an attempt was signed: returns the signed text, the secrets and the verification result.',
    input: { id: deliveryId, attempt: attemptNumber },
    response: 'The explanation of the signature.',
    example: { input: { id: example.ids.delivery }, output: example.signatureDetail },
  },
  checkSignature: {
    tag: 'Deliveries',
    summary: 'Verify an attempt step by step',
    description: 'Verifies an attempt as a receiver does, and returns each step.',
    input: verificationInputTexts,
    response: 'The steps and the verification result.',
    example: { input: { id: example.ids.delivery, attempt: 1 }, output: example.signatureCheck },
  },
  verifyDelivery: {
    tag: 'Deliveries',
    summary: 'Verify an attempt',
    description:
      'Verifies the signature of an attempt as a receiver does. If the signature is invalid, the response contains the reason.',
    input: verificationInputTexts,
    response: 'The verification result.',
    example: { input: { id: example.ids.delivery, attempt: 1 }, output: example.verification },
  },

  addFault: {
    tag: 'Faults',
    summary: 'Add a fault',
    description:
      'Injects a fault into requests to `/v1` or into deliveries. If several faults match, only the oldest one is applied.',
    input: newFaultTexts,
    response: 'The new fault.',
    example: { input: { on: 'delivery', kind: 'duplicate', count: 1 }, output: example.fault },
  },
  listFaults: {
    tag: 'Faults',
    summary: 'List faults',
    description: 'Returns faults, newest first, with the number of times that each one was applied.',
    input: { ...pageInputTexts, workspace_id: workspaceFilter },
    response: 'A page of faults.',
    output: pageFields,
    example: { input: { limit: 10 }, output: example.page(example.fault) },
  },
  clearFaults: {
    tag: 'Faults',
    summary: 'Remove faults',
    description: 'Removes one fault, the faults of a workspace, or all faults.',
    input: {
      workspace_id: 'Only faults of this workspace (default: all faults).',
      id: 'Only this fault (default: all faults).',
    },
    response: 'The faults are removed.',
    output: { cleared: 'Number of removed faults.' },
    example: { input: {}, output: { cleared: 1 } },
  },

  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description: 'Returns events, newest first, with the number of their deliveries by status.',
    input: {
      ...pageInputTexts,
      workspace_id: workspaceFilter,
      type: 'Only events of this type.',
      text: 'Only events with this text in the ID, the type or the payload. The search is case-insensitive.',
      ...timeRangeTexts,
    },
    response: 'A page of events.',
    output: pageFields,
    example: { input: { type: 'order.shipped' }, output: example.page(example.eventSummary) },
  },
  getEvent: {
    tag: 'Events',
    summary: 'Show an event',
    description: 'Returns an event with the request that created it.',
    input: { id: 'ID of the event.' },
    response: 'The event.',
    example: { input: { id: example.ids.event }, output: example.eventDetail },
  },

  listWebhooks: {
    tag: 'Endpoints',
    summary: 'List endpoints',
    description: 'Returns endpoints, newest first.',
    input: { ...pageInputTexts, workspace_id: workspaceFilter },
    response: 'A page of endpoints.',
    output: pageFields,
    example: { input: { limit: 10 }, output: example.page(example.webhookDetail) },
  },
  createWebhook: {
    tag: 'Endpoints',
    summary: 'Register an endpoint',
    description:
      'Registers an endpoint, with settings that `/v1` does not support. If an endpoint with this URL existed before, the new endpoint reuses its secret unless you set `secret`.',
    input: {
      workspace_id: 'Workspace of the endpoint (default: the default workspace).',
      ...webhookSettingTexts,
      events: 'Event types that the endpoint receives. `*` matches all event types.',
      secret:
        'Secret of the endpoint (default: the secret of the last endpoint with this URL, otherwise a random one).',
      listener: 'Remove the endpoint ten seconds after the last stream that listens to it has ended.',
      reuse:
        'Update and enable an existing endpoint with this URL instead of registering a second one. It keeps its ID and secret.',
    },
    response: 'The endpoint with its secret.',
    example: {
      input: { url: EXAMPLE_URL, events: ['order.shipped'] },
      output: { ...example.webhookDetail, secret: example.endpointSecret },
    },
  },
  getWebhook: {
    tag: 'Endpoints',
    summary: 'Show an endpoint',
    description: 'Returns an endpoint, without its secret.',
    input: { id: webhookId },
    response: 'The endpoint.',
    example: { input: { id: example.ids.webhook }, output: example.webhookDetail },
  },
  updateWebhook: {
    tag: 'Endpoints',
    summary: 'Change an endpoint',
    description:
      'Changes the given fields. While an endpoint is disabled, its pending deliveries wait, and new events create no deliveries for it.',
    input: {
      id: webhookId,
      ...webhookSettingTexts,
      events: 'Event types that the endpoint receives. `*` matches all event types.',
      disabled: '`true` disables the endpoint, `false` enables it.',
    },
    response: 'The endpoint after the change.',
    example: {
      input: { id: example.ids.webhook, disabled: true },
      output: { ...example.webhookDetail, disabled: true },
    },
  },
  deleteWebhook: {
    tag: 'Endpoints',
    summary: 'Delete an endpoint',
    description: 'Deletes an endpoint and cancels its pending deliveries.',
    input: { id: webhookId },
    response: 'The endpoint is deleted.',
    output: {
      id: webhookId,
      deleted: 'Always `true`.',
      canceled_deliveries: 'Number of deliveries that were canceled.',
    },
    example: {
      input: { id: example.ids.webhook },
      output: { id: example.ids.webhook, deleted: true, canceled_deliveries: 1 },
    },
  },
  rotateWebhookSecret: {
    tag: 'Endpoints',
    summary: 'Rotate an endpoint secret',
    description:
      'Creates a new secret. Deliveries are also signed with the previous secret until the overlap ends.',
    input: {
      id: webhookId,
      overlap_ms: 'Overlap in milliseconds of schedule time (default: 1 day).',
    },
    response: 'The endpoint with its new secret.',
    example: {
      input: { id: example.ids.webhook, overlap_ms: 3_600_000 },
      output: {
        ...example.webhookDetail,
        previous_secret_expires_at: '2026-11-20T15:05:00.000Z',
        secret: example.endpointSecret,
      },
    },
  },
  revealSecret: {
    tag: 'Endpoints',
    summary: 'Show an endpoint secret',
    description: 'Returns the secret of an endpoint, and the previous one after a rotation.',
    input: { id: webhookId },
    response: 'The secrets of the endpoint.',
    output: {
      secret: 'Secret that signs the deliveries.',
      previous_secret:
        'Secret before the last rotation, even if it has expired. `null` if the secret was never rotated.',
    },
    example: {
      input: { id: example.ids.webhook },
      output: { secret: example.endpointSecret, previous_secret: null },
    },
  },
  probeWebhook: {
    tag: 'Endpoints',
    summary: 'Test an endpoint',
    description:
      'Connects to an endpoint, then sends a delivery of type `svc.probe` with the correct secret and one with a wrong secret. Neither is recorded.',
    input: {
      id: webhookId,
      send: 'Whether to send the test deliveries (default: `true`). If `false`, only connects to the endpoint.',
    },
    response: 'The result of the test.',
    example: { input: { id: example.ids.webhook, send: true }, output: example.webhookProbe },
  },

  listWorkspaces: {
    tag: 'Workspaces',
    summary: 'List workspaces',
    description: 'Returns workspaces, newest first.',
    input: pageInputTexts,
    response: 'A page of workspaces.',
    output: pageFields,
    example: { input: { limit: 10 }, output: example.page(example.workspace) },
  },
  createWorkspace: {
    tag: 'Workspaces',
    summary: 'Create a workspace',
    description: 'Creates a workspace with its own clock. Create an API key for it with `POST /keys`.',
    input: { name: 'Name of the workspace.' },
    response: 'The new workspace.',
    example: { input: { name: 'Acme' }, output: example.workspace },
  },
  getWorkspace: {
    tag: 'Workspaces',
    summary: 'Show a workspace',
    description: 'Returns a workspace.',
    input: { id: 'ID of the workspace.' },
    response: 'The workspace.',
    example: { input: { id: example.ids.workspace }, output: example.workspace },
  },
  listKeys: {
    tag: 'Workspaces',
    summary: 'List API keys',
    description: 'Returns API keys, newest first, without the keys themselves.',
    input: {
      ...pageInputTexts,
      workspace_id: 'Only keys that are bound to this workspace (default: all keys).',
    },
    response: 'A page of API keys.',
    output: pageFields,
    example: { input: { limit: 10 }, output: example.page(example.apiKey) },
  },
  createKey: {
    tag: 'Workspaces',
    summary: 'Create an API key',
    description: 'Creates an API key with the given scopes. Only this response contains the key.',
    input: {
      scopes: 'Scopes of the key.',
      workspace_id:
        'Workspace that the key is bound to (default: none; the key is valid for all workspaces).',
    },
    response: 'The new API key.',
    example: {
      input: { scopes: ['events:read', 'events:write'] },
      output: {
        ...example.apiKey,
        workspace_id: null,
        key: 'svc_test_HJhjN2ltch3_pftOBqGK9wU3wFtk_0hY',
      },
    },
  },
  revokeKey: {
    tag: 'Workspaces',
    summary: 'Revoke an API key',
    description: 'Revokes an API key. Later requests with this key receive a 401 response.',
    input: { id: 'ID of the API key.' },
    response: 'The revoked API key.',
    example: {
      input: { id: example.ids.apiKey },
      output: { ...example.apiKey, revoked_at: '2026-11-20T14:06:00.000Z' },
    },
  },

  listRequests: {
    tag: 'Request log',
    summary: 'List requests',
    description: 'Returns requests to `/v1`, newest first.',
    input: {
      ...pageInputTexts,
      workspace_id: workspaceFilter,
      method: 'Only requests with this HTTP method.',
      path: 'Only requests whose path starts with this text.',
      status: 'Only requests with this response status. Use 0 for dropped connections.',
      api_key_id: 'Only requests with this API key.',
      request_id: 'Only the request with this ID.',
      resource_id: 'Only requests that created or accessed this resource.',
      min_duration_ms: 'Only requests that took at least this long, in milliseconds.',
      since: `Only requests received at or after this wall time: ${TIME_FORMS}.`,
    },
    response: 'A page of requests.',
    output: pageFields,
    example: { input: { status: 201, since: '1h' }, output: example.page(example.apiRequest) },
  },

  listFixtures: {
    tag: 'Fixtures',
    summary: 'List fixtures',
    description: 'Returns the event types that have a fixture.',
    input: {},
    response: 'The fixtures.',
    output: { data: 'Fixtures, sorted by event type.' },
    example: {
      input: {},
      output: {
        data: [
          {
            type: 'order.shipped',
            source: 'built_in',
            description: 'An order was handed to the carrier.',
            problem: null,
          },
        ],
      },
    },
  },
  getFixture: {
    tag: 'Fixtures',
    summary: 'Create a payload from a fixture',
    description:
      'Returns the payload of a fixture. If it contains templates, each call fills them with new values.',
    input: { type: 'Event type.' },
    response: 'The payload.',
    example: {
      input: { type: 'order.shipped' },
      output: {
        type: 'order.shipped',
        description: 'An order was handed to the carrier.',
        payload_text: '{"order_id":"ord_7KQ2M9","carrier":"DHL"}',
      },
    },
  },
};

/** The live stream. It is not in the table of operations, because it does not end. */
export const streamText = {
  tag: 'Live stream',
  summary: 'Follow changes',
  description: [
    'Streams deliveries, attempts, requests and changes of endpoints as server-sent events.',
    '',
    '- The first event is `ready`, with the latest sequence number as its `id` and the ID of the database in `store`.',
    '- If `store` differs after you reconnect, discard the state that your client has stored.',
    '- The `data` of every other event is a JSON object with `type` and `sequence`, and its `id` is the sequence number.',
    '- To resume after a lost connection, send the ID of the last event in `Last-Event-ID`.',
    '- If there is no event for 15 seconds, the emulator sends a comment.',
  ].join('\n'),
  input: {
    types:
      'Types of stream events, separated by commas: `delivery`, `attempt`, `request`, `webhook` (default: all). `reset` is always sent.',
    listener:
      'IDs of endpoints, separated by commas. Only events of these endpoints are sent. The endpoints are not removed while the stream is open.',
    since_sequence: 'Only events after this sequence number.',
    ...deliveryFilterTexts,
    since: `Also send changes since this time: ${TIME_FORMS} (default: only new changes).`,
    until: `Only deliveries that were created and requests that were received before this time: ${TIME_FORMS}.`,
  } satisfies Record<keyof StreamInput, string>,
  response: 'The stream of events.',
  example: {
    type: 'delivery',
    sequence: 12,
    delivery: example.delivery,
  } satisfies StreamItem,
};
