/** Summaries, descriptions and examples of the operations of the control plane, for its OpenAPI document. */
import type { ControlOperations } from './control-operations.ts';
import type { ExportedDelivery, ExportFormat, ExportInput } from './export-schemas.ts';
import * as example from './openapi-examples.ts';
import { newFaultTexts, pageFields } from './openapi-schema-texts.ts';
import type { OperationTexts } from './openapi-text.ts';
import type { StreamInput, StreamItem } from './stream-schemas.ts';
import { MAX_TRACED_ATTEMPTS } from './trace-schemas.ts';

/** In the order of the document and of the reference page. */
export const controlTags: Readonly<Record<string, string>> = {
  Emulator: 'Inspect, reset, snapshot and stop the emulator.',
  Clock: 'The schedule clock of a workspace, which decides when retries are due.',
  Deliveries: 'Deliveries, their attempts and their signatures.',
  Faults: 'Faults that you inject into requests and deliveries.',
  Events: 'Stored events, with details that `/v1` does not return.',
  Endpoints: 'Endpoints, including settings that `/v1` does not support.',
  Workspaces: 'Workspaces and API keys.',
  'Request log': 'Requests to `/v1`.',
  Fixtures: 'Sample payloads for event types.',
  'Live stream': 'Changes as server-sent events.',
};

const workspaceFilter = 'Return only items in this workspace (default: all workspaces).';
const clockWorkspace = 'ID of the workspace that the clock belongs to (default: the default workspace).';
const pageInputTexts = {
  limit: 'Maximum number of items to return.',
  starting_after: '`end_cursor` of the previous page (default: start with the newest item).',
};
const TIME_FORMS = 'an ISO 8601 time, or a duration before now, such as `1h`';
const timeRangeTexts = {
  since: `Return only items created at or after this schedule time: ${TIME_FORMS}.`,
  until: `Return only items created before this schedule time: ${TIME_FORMS}.`,
};
const deliveryFilterTexts = {
  workspace_id: workspaceFilter,
  status:
    'Return only deliveries with this status. `pending` includes failing and paused deliveries. `failing` returns only pending deliveries whose last attempt failed, and `paused` only those to disabled endpoints.',
  response_status:
    'Return only deliveries whose last attempt got this response status or class, such as 404 or 4xx. Use `none` for a last attempt without a response, such as a timeout.',
  event_id: 'Return only deliveries of this event.',
  type: 'Return only deliveries of this event type.',
  webhook_id: 'Return only deliveries to this endpoint.',
  text: 'Return only deliveries with this text in an ID, the event type, the URL or the body. The search is case-insensitive.',
  ...timeRangeTexts,
};
/** Description of a field that contains the same duration as `field`, as text. */
const asText = (field: string, example: string) => `\`${field}\` as text, such as \`${example}\`.`;
const waitFilterTexts = {
  workspace_id: 'Wait for the deliveries in this workspace (default: in all workspaces).',
  event_id: 'Wait for the deliveries of this event.',
  type: 'Wait for deliveries of this event type.',
  webhook_id: 'Wait for deliveries to this endpoint.',
  text: 'Wait for deliveries with this text in an ID, the event type, the URL or the body. The search is case-insensitive.',
  since: `Wait only for deliveries created at or after this schedule time: ${TIME_FORMS}.`,
};
const webhookId = 'ID of the endpoint.';
const deliveryId = 'ID of the delivery.';
const requestId = 'ID of the request.';
const attemptNumber = 'Number of the attempt (default: the last attempt).';
const verificationInputTexts = {
  id: deliveryId,
  attempt: attemptNumber,
  secrets: 'Secrets to verify with (default: the secrets of the endpoint).',
  payload_base64: 'Body to verify, in base64 (default: the body that was sent).',
  now: 'Time to compare the timestamp with (default: the time of the attempt).',
  tolerance: asText('tolerance_ms', '5m'),
  tolerance_ms:
    'Maximum difference between the timestamp and `now`, in milliseconds (default: the tolerance that the profile sets).',
  computed:
    'Digest that the receiver computed. If set, the result names the mistake that produces this digest, and `now` and the tolerance are ignored.',
};
const webhookSettingTexts = {
  url: 'URL that deliveries are sent to.',
  headers: 'Additional headers to send with each delivery.',
  skip_verify: 'Whether to send deliveries without verifying the TLS certificate of the receiver.',
};
const recentAttempts =
  'Number of newest attempts to list in `statistics`, at most 100 (default: the response has no `statistics`).';
const EXAMPLE_URL = 'http://localhost:3000/webhooks';
const SNAPSHOT_PATH = '/tmp/state.svc';

export const controlTexts: OperationTexts<ControlOperations> = {
  getIndex: {
    tag: 'Emulator',
    summary: 'List all operations',
    description:
      'Returns the operations of the control plane with their URLs, and links to the API, the dashboard, the OpenAPI document and the documentation. The slash at the end of the path is optional.',
    input: {},
    response: 'The operations and links.',
    example: { input: {}, output: example.controlIndex },
  },
  getStatus: {
    tag: 'Emulator',
    summary: 'Show the emulator status',
    description: 'Returns the addresses, credentials and settings of the running emulator.',
    input: {},
    response: 'The emulator status.',
    example: { input: {}, output: example.status },
  },
  getDiagnosis: {
    tag: 'Emulator',
    summary: 'Check the database',
    description:
      'Runs an integrity check on the database. During the check, the emulator does not respond to other requests.',
    input: {},
    response: 'The result of the check.',
    example: {
      input: {},
      output: {
        database: { size_bytes: 143_360, schema_version: 3, newest_schema_version: 3, damage: [] },
      },
    },
  },
  getOverview: {
    tag: 'Emulator',
    summary: 'Show an overview',
    description:
      'Returns the attempts of a workspace over time, the results of its newest 50 endpoints, its active faults, and the deliveries that are due next.',
    input: {
      workspace_id: 'ID of the workspace (default: the default workspace).',
      clock:
        '`wall` to count attempts by the wall time at which they were sent, `schedule` to count them by the schedule time at which they were due.',
      period: asText('period_ms', '10m'),
      period_ms:
        'Length of the period in milliseconds (default: ten minutes). It ends now, and is divided into 60 buckets.',
    },
    response: 'The overview.',
    example: { input: { clock: 'schedule', period: '1h' }, output: example.overview },
  },
  reset: {
    tag: 'Emulator',
    summary: 'Reset the state',
    description:
      'Restores the state that the emulator had after startup, or after the last `POST /snapshot/load` if there was one. Call it before each test.',
    input: {
      all: 'Remove all state, also that of the start. Only the default workspace, its API key and the endpoint of `--forward-to` are created again, with the same IDs and secrets, and the data of a seed.',
    },
    response: 'The emulator status after the reset.',
    example: { input: {}, output: { ...example.status, kept_deliveries: 1 } },
  },
  saveSnapshot: {
    tag: 'Emulator',
    summary: 'Save a snapshot',
    description:
      'Writes the complete state to a file on the machine that runs the emulator. The write is atomic.',
    input: { path: 'Absolute path of the file to write, on the machine that runs the emulator.' },
    response: 'The saved snapshot.',
    example: {
      input: { path: SNAPSHOT_PATH },
      output: { path: SNAPSHOT_PATH, size_bytes: 143_360, saved_at: '2026-11-20T14:05:00.000Z' },
    },
  },
  loadSnapshot: {
    tag: 'Emulator',
    summary: 'Load a snapshot',
    description:
      'Replaces the complete state with the state of a snapshot. A later reset restores that state.',
    input: { path: 'Absolute path of the snapshot, on the machine that runs the emulator.' },
    response: 'The emulator status after the snapshot was loaded.',
    example: { input: { path: SNAPSHOT_PATH }, output: example.status },
  },
  stop: {
    tag: 'Emulator',
    summary: 'Stop the emulator',
    description: 'Stops the emulator after it has responded.',
    input: {},
    response: 'The emulator is stopping.',
    output: { stopping: 'Always `true`.' },
    example: { input: {}, output: { stopping: true } },
  },

  getClock: {
    tag: 'Clock',
    summary: 'Show the clock',
    description: 'Returns the schedule time, the speed of the clock and the next due time.',
    input: { workspace_id: clockWorkspace },
    response: 'The state of the clock.',
    example: { input: {}, output: example.clockState },
  },
  setClock: {
    tag: 'Clock',
    summary: 'Update the clock',
    description:
      'Sets the speed of the clock, or freezes or resumes the clock. The current schedule time does not change.',
    input: {
      workspace_id: clockWorkspace,
      speed: 'Speed of the clock, in seconds of schedule time per second of real time.',
      frozen: '`true` to freeze the clock, `false` to resume it.',
    },
    response: 'The state of the clock after the change.',
    example: { input: { frozen: true }, output: { ...example.clockState, rate: 0 } },
  },
  advanceClock: {
    tag: 'Clock',
    summary: 'Advance the clock',
    description:
      'Moves the clock forward by `by` or to `to`. Attempts that become due are sent in order, each at its due time. Responds when they have ended.',
    input: {
      workspace_id: clockWorkspace,
      by: 'Duration to move the clock forward, such as `35m` or `1h30m`.',
      ms: 'The same duration in milliseconds.',
      to: 'Schedule time to move the clock to. It must not be before the current schedule time.',
    },
    response: 'The state of the clock after the move, and the attempts that the move caused.',
    example: { input: { by: '4m30s' }, output: example.clockMove },
    errorExamples: { usage: example.pastTimeMessage },
  },
  nextClock: {
    tag: 'Clock',
    summary: 'Advance the clock to the next attempt',
    description:
      'Moves the clock forward to the next due time. Responds when all attempts that became due have ended.',
    input: { workspace_id: clockWorkspace },
    response: 'The state of the clock after the move, and the attempts that the move caused.',
    example: { input: {}, output: example.clockMove },
  },
  settleClock: {
    tag: 'Clock',
    summary: 'Advance the clock until all deliveries have settled',
    description:
      'Moves the clock forward until all deliveries have settled, except those to disabled endpoints. Responds when all attempts that became due have ended.',
    input: { workspace_id: clockWorkspace },
    response: 'The state of the clock after the move, and the attempts that the move caused.',
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
  countDeliveries: {
    tag: 'Deliveries',
    summary: 'Count deliveries by status',
    description:
      'Returns the number of deliveries that have not succeeded, by status. Each count stops at 1,000.',
    input: { workspace_id: 'ID of the workspace (default: the default workspace).' },
    response: 'The counts.',
    example: { input: {}, output: example.deliveryCounts },
  },
  listDue: {
    tag: 'Deliveries',
    summary: 'List deliveries by due time',
    description:
      'Returns the deliveries that have a planned attempt, in order of their due times. Deliveries to disabled endpoints are not included.',
    input: { workspace_id: workspaceFilter, limit: 'Maximum number of deliveries to return.' },
    response: 'The deliveries that are due next.',
    output: { data: 'Deliveries, in order of their due times.' },
    example: { input: { limit: 10 }, output: { data: [example.delivery] } },
  },
  waitForDeliveries: {
    tag: 'Deliveries',
    summary: 'Wait for deliveries',
    description: [
      'Waits until the selected deliveries have settled: one delivery, those of an event, or all of a workspace. Deliveries that already exist are included. The wait does not move the clock.',
      '',
      'It ends earlier if a delivery settles with a status other than `status`, if none of them can settle before the time limit, or after `timeout` (default: `30s`, at most `60s`). The response then has `settled: false` and a `hint` that says how to continue.',
      '',
      'No delivery can settle before the time limit if each next attempt is due later on the clock of its workspace (never, while it is frozen) or its endpoint is disabled, and no request is moving the clock. So move the clock before you wait, or pass `keep_waiting` if another program moves it. A wait with a `count` always continues, because new deliveries can be created.',
      '',
      'At most 256 waits can run at the same time.',
    ].join('\n'),
    input: {
      delivery_id: 'Wait for this delivery. It cannot be combined with a filter or with `count`.',
      ...waitFilterTexts,
      status: 'Status that the deliveries must settle with (default: any).',
      count: 'Number of deliveries that must settle (default: all, at least one).',
      timeout:
        'Time limit of the wait in real time, such as `10s` (default: `30s`, at most `60s`). `0s` returns immediately.',
      timeout_ms: 'The same time limit in milliseconds.',
      keep_waiting:
        'Whether to wait until the time limit although no delivery can settle before it, because something else will move the clock or enable the endpoint (default: `false`).',
    },
    response: 'The state of the deliveries at the end of the wait.',
    example: {
      input: { type: 'order.shipped', timeout: '5s' },
      output: {
        settled: false,
        hint: `1 delivery cannot settle within 5s: the next attempt is due in 5m. Send it with POST /_svc/clock/advance and {"workspace_id": "${example.ids.workspace}", "by": "5m"}.`,
        counts: { pending: 1, succeeded: 0, failed: 0, canceled: 0 },
        ...example.page(example.delivery),
      },
    },
    errorExamples: {
      conflict: 'The emulator is stopping.',
      rate_limited: 'At most 256 waits for deliveries can run at the same time.',
    },
  },
  listAttempts: {
    tag: 'Deliveries',
    summary: 'List attempts',
    description: 'Returns the attempts of all deliveries, newest first.',
    input: {
      ...pageInputTexts,
      workspace_id: workspaceFilter,
      webhook_id: 'Return only attempts to this endpoint.',
      delivery_id: 'Return only attempts of this delivery.',
      since: `Return only attempts sent at or after this wall time: ${TIME_FORMS}.`,
    },
    response: 'A page of attempts.',
    output: pageFields,
    example: { input: { since: '1h' }, output: example.page(example.attemptSummary) },
  },
  getDelivery: {
    tag: 'Deliveries',
    summary: 'Show a delivery',
    description:
      'Returns a delivery with all of its attempts. An attempt includes the request, the response, and the result of verifying its signature.',
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
      'Sends a delivery again, as a new attempt. If you set `new_id`, `url` or `body`, a new delivery is sent instead. Responds before the attempt is sent.',
    input: {
      id: deliveryId,
      new_id: 'Whether to send a new delivery with its own ID.',
      url: 'URL to send a new delivery to.',
      body: 'Body of the new delivery, as JSON text.',
    },
    response: 'The delivery that will be sent.',
    example: {
      input: { id: example.ids.delivery, new_id: true },
      output: example.replay,
    },
  },
  explainDelivery: {
    tag: 'Deliveries',
    summary: 'Explain a delivery',
    description:
      'Explains why a delivery failed, or is waiting: the cause, what was ruled out, and what to do. Reads only what is recorded, and sends nothing.',
    input: {
      id: 'ID of the delivery, or `latest` for the delivery that failed last. With the ID of an event, of an endpoint, or of a request that created one of them: its delivery that failed last, or its newest one.',
      attempt: attemptNumber,
      workspace_id: 'With `latest`: explain a delivery in this workspace (default: all workspaces).',
    },
    response: 'The explanation.',
    example: { input: { id: example.ids.delivery }, output: example.explanation },
  },
  probeDelivery: {
    tag: 'Deliveries',
    summary: 'Find the mistake of a receiver',
    description:
      'Explains a delivery that the receiver rejected: sends it again with the correct signature, with a random one, and with the signatures that known mistakes lead to, until the receiver accepts one. Only a receiver with this mistake accepts it. The requests are not recorded. A receiver that accepts one processes the event. Other deliveries are only explained.',
    input: {
      id: 'ID of the delivery, or any other value that explaining a delivery accepts.',
      workspace_id: 'With `latest`: explain a delivery in this workspace (default: all workspaces).',
    },
    response: 'The explanation.',
    example: { input: { id: example.ids.delivery }, output: example.explanation },
  },
  describeSignature: {
    tag: 'Deliveries',
    summary: 'Explain a signature',
    description:
      'Explains how an attempt was signed. The response contains the signed text, the secrets and the verification result.',
    input: { id: deliveryId, attempt: attemptNumber },
    response: 'The signed text, the secrets and the verification result.',
    example: { input: { id: example.ids.delivery }, output: example.signatureDetail },
  },
  checkSignature: {
    tag: 'Deliveries',
    summary: 'Verify a signature step by step',
    description:
      'Verifies the signature of an attempt as a receiver does, and returns the result of each step.',
    input: verificationInputTexts,
    response: 'The steps and the verification result.',
    example: { input: { id: example.ids.delivery, attempt: 1 }, output: example.signatureCheck },
  },
  verifyDelivery: {
    tag: 'Deliveries',
    summary: 'Verify a signature',
    description:
      'Verifies the signature of an attempt as a receiver does. If the signature is invalid, the result contains the reason.',
    input: verificationInputTexts,
    response: 'The verification result.',
    example: { input: { id: example.ids.delivery, attempt: 1 }, output: example.verification },
  },

  addFault: {
    tag: 'Faults',
    summary: 'Add a fault',
    description:
      'Injects a fault into requests to `/v1` or into deliveries. If several faults match, only the oldest one is applied.',
    input: {
      ...newFaultTexts,
      latency: asText('latency_ms', '2s'),
      delay: asText('delay_ms', '30s'),
    },
    response: 'The new fault.',
    example: { input: { on: 'delivery', kind: 'duplicate', count: 1 }, output: example.fault },
  },
  listFaults: {
    tag: 'Faults',
    summary: 'List faults',
    description: 'Returns faults, newest first, with the number of times that each fault has been applied.',
    input: {
      ...pageInputTexts,
      workspace_id: 'Return only faults that are restricted to this workspace (default: all faults).',
    },
    response: 'A page of faults.',
    output: pageFields,
    example: { input: { limit: 10 }, output: example.page(example.fault) },
  },
  clearFaults: {
    tag: 'Faults',
    summary: 'Remove faults',
    description: 'Removes one fault, the faults of one workspace, or all faults.',
    input: {
      workspace_id: 'Remove only faults that are restricted to this workspace (default: all faults).',
      id: 'Remove only this fault (default: all faults).',
    },
    response: 'The faults were removed.',
    output: { cleared: 'Number of faults that were removed.' },
    example: { input: {}, output: { cleared: 1 } },
  },

  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description: 'Returns events, newest first, with the number of deliveries of each event by status.',
    input: {
      ...pageInputTexts,
      workspace_id: workspaceFilter,
      type: 'Return only events of this type.',
      text: 'Return only events with this text in the ID, the type or the payload. The search is case-insensitive.',
      ...timeRangeTexts,
    },
    response: 'A page of events.',
    output: pageFields,
    example: { input: { type: 'order.shipped' }, output: example.page(example.eventSummary) },
  },
  getEvent: {
    tag: 'Events',
    summary: 'Show an event',
    description: 'Returns an event, including the ID of the request that created it.',
    input: { id: 'ID of the event.' },
    response: 'The event.',
    example: { input: { id: example.ids.event }, output: example.eventDetail },
  },
  getEventTrace: {
    tag: 'Events',
    summary: 'Trace an event',
    description: `Returns an event with the API request that created it, its deliveries and their attempts, oldest first. \`replay_of\` is the original of a delivery that is a replay. Each delivery has its newest ${MAX_TRACED_ATTEMPTS} attempts, and \`attempt_count\` is the number of all its attempts.`,
    input: {
      id: 'ID of the event.',
      limit: 'Maximum number of deliveries to return.',
      starting_after: 'Return the deliveries after this one: the `end_cursor` of the previous page.',
    },
    response: 'The trace of the event.',
    example: { input: { id: example.ids.event }, output: example.eventTrace },
  },

  listWebhooks: {
    tag: 'Endpoints',
    summary: 'List endpoints',
    description: 'Returns endpoints, newest first.',
    input: { ...pageInputTexts, workspace_id: workspaceFilter, recent_attempts: recentAttempts },
    response: 'A page of endpoints.',
    output: pageFields,
    example: { input: { limit: 10 }, output: example.page(example.webhookDetail) },
  },
  createWebhook: {
    tag: 'Endpoints',
    summary: 'Register an endpoint',
    description: 'Registers an endpoint. Supports more settings than `POST /v1/webhooks`.',
    input: {
      workspace_id: 'ID of the workspace to register the endpoint in (default: the default workspace).',
      ...webhookSettingTexts,
      events: 'Event types that the endpoint receives. `*` matches all event types.',
      secret:
        'Secret of the endpoint (default: the secret of the last endpoint with this URL or, if there was none, a random secret).',
      listener:
        'Whether the endpoint is temporary. A temporary endpoint is removed ten seconds after the last live stream that lists its ID in the `listener` parameter ends.',
      reuse:
        'Whether to update and enable an existing endpoint with this URL instead of registering a second one. The endpoint keeps its ID and its secret. With `listener`, an enabled endpoint that is not temporary and receives some of the same events is used unchanged.',
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
    input: { id: webhookId, recent_attempts: recentAttempts },
    response: 'The endpoint.',
    example: {
      input: { id: example.ids.webhook, recent_attempts: 2 },
      output: { ...example.webhookDetail, statistics: example.webhookStatistics },
    },
  },
  updateWebhook: {
    tag: 'Endpoints',
    summary: 'Update an endpoint',
    description:
      'Changes the fields that the request contains. While an endpoint is disabled, its pending deliveries are paused, and new events create no deliveries for it.',
    input: {
      id: webhookId,
      ...webhookSettingTexts,
      events: 'Event types that the endpoint receives. `*` matches all event types.',
      disabled: 'Whether the endpoint is disabled.',
    },
    response: 'The updated endpoint.',
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
    response: 'The endpoint was deleted.',
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
      'Replaces the secret of an endpoint with a new one. Until the overlap ends, deliveries are signed with both secrets.',
    input: {
      id: webhookId,
      overlap: asText('overlap_ms', '1h'),
      overlap_ms: 'Duration of the overlap, in milliseconds of schedule time (default: one day).',
    },
    response: 'The endpoint with its new secret.',
    example: {
      input: { id: example.ids.webhook, overlap: '1h' },
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
    description: 'Returns the secret of an endpoint and, after a rotation, its previous secret.',
    input: { id: webhookId },
    response: 'The secrets of the endpoint.',
    output: {
      secret: 'Secret that deliveries are signed with.',
      previous_secret:
        'Secret that the last rotation replaced, even if it has expired. `null` if the secret was never rotated.',
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
      'Connects to an endpoint, then sends two test deliveries of type `svc.probe`: one signed with the correct secret, and one signed with a wrong secret. The test deliveries are not stored.',
    input: {
      id: webhookId,
      send: 'Whether to send the test deliveries (default: `true`). If `false`, the emulator only connects to the endpoint.',
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
    description: 'Returns a workspace by its ID.',
    input: { id: 'ID of the workspace.' },
    response: 'The workspace.',
    example: { input: { id: example.ids.workspace }, output: example.workspace },
  },
  listKeys: {
    tag: 'Workspaces',
    summary: 'List API keys',
    description: 'Returns the metadata of API keys, newest first. The keys themselves are not included.',
    input: {
      ...pageInputTexts,
      workspace_id: 'Return only keys that are bound to this workspace (default: all keys).',
    },
    response: 'A page of API keys.',
    output: pageFields,
    example: { input: { limit: 10 }, output: example.page(example.apiKey) },
  },
  createKey: {
    tag: 'Workspaces',
    summary: 'Create an API key',
    description: 'Creates an API key. The response contains the key, which cannot be retrieved later.',
    input: {
      name: 'Name that the request log shows for the key (default: its last four characters).',
      scopes: 'Scopes that the key grants.',
      workspace_id: 'ID of the workspace to bind the key to (default: the key is valid for all workspaces).',
    },
    response: 'The new API key.',
    example: {
      input: { name: 'Checkout', scopes: ['events:read', 'events:write'] },
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
    description: 'Revokes an API key. Later requests with this key fail with a 401 error.',
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
    description: 'Returns the logged requests to `/v1`, newest first.',
    input: {
      ...pageInputTexts,
      workspace_id: workspaceFilter,
      method: 'Return only requests with this HTTP method.',
      path: 'Return only requests with a path that starts with this text or, if the text does not start with a slash, contains it.',
      status:
        'Return only requests with this response status or class, such as 404 or 4xx. Use 0 for connections that an injected fault dropped.',
      api_key_id: 'Return only requests with this API key.',
      api_key_name: 'Return only requests with an API key of this name.',
      request_id: 'Return only the request with this ID.',
      resource_id: 'Return only requests that created or named this resource.',
      min_duration: asText('min_duration_ms', '500ms'),
      min_duration_ms: 'Return only requests that took at least this number of milliseconds.',
      since: `Return only requests received at or after this wall time: ${TIME_FORMS}.`,
    },
    response: 'A page of requests.',
    output: pageFields,
    example: { input: { status: 201, since: '1h' }, output: example.page(example.apiRequest) },
  },
  getRequest: {
    tag: 'Request log',
    summary: 'Get a request',
    description: 'Returns a logged request with the headers and bodies of the request and its response.',
    input: { id: requestId },
    response: 'The request.',
    example: { input: { id: example.ids.request }, output: example.apiRequestDetail },
  },
  resendRequest: {
    tag: 'Request log',
    summary: 'Send a request again',
    description:
      'Sends the method, the path and the body of a logged request to `/v1` again, with the same API key. If the request had no valid key, it is sent with the default key. Fails with `conflict` if the log does not contain the whole request.',
    input: {
      id: requestId,
      keep_idempotency_key:
        'Whether to send the same `Idempotency-Key` (default: a new one). A request without the header is sent without it.',
    },
    response: 'The new request with its response.',
    example: { input: { id: example.ids.request }, output: example.apiRequestDetail },
  },

  listFixtures: {
    tag: 'Fixtures',
    summary: 'List fixtures',
    description: 'Returns the built-in fixtures and the fixtures of the project.',
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
      'Returns the payload of a fixture. If the payload contains templates, each call replaces them with new values.',
    input: { type: 'Event type of the fixture.' },
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

const exportedDelivery: ExportedDelivery = {
  ...example.delivery,
  attempts: [example.attemptDetail],
  planned_attempts: example.plannedAttempts,
  body: example.attemptDetail.request.body,
};

/** The export. It is not in the table of operations, because its response is a file and not JSON. */
export const exportText = {
  tag: 'Deliveries',
  summary: 'Export deliveries',
  description: [
    'Downloads deliveries with all their attempts, oldest first. Select one delivery with `delivery_id`, or several with a filter.',
    '',
    '- `har`: attempts as HAR 1.2, for the developer tools of browsers.',
    '- `ndjson`: one delivery per line, as `GET /deliveries/{id}` returns it, with its body.',
    '',
    'API keys, endpoint secrets, cookies, passwords and tokens are replaced by `[removed]`. Signatures are included.',
  ].join('\n'),
  input: {
    format: 'Format of the file.',
    delivery_id: 'Export only this delivery. It cannot be combined with a filter.',
    ...deliveryFilterTexts,
  } satisfies Record<keyof ExportInput, string>,
  response: 'The file, as a download.',
  examples: {
    har: { log: { version: '1.2', creator: { name: 'svc-emulator', version: '0.1.0' }, entries: [] } },
    ndjson: `${JSON.stringify(exportedDelivery)}\n`,
  } satisfies Record<ExportFormat, unknown>,
};

/** The live stream. It is not in the table of operations, because it does not end. */
export const streamText = {
  tag: 'Live stream',
  summary: 'Follow changes',
  description: [
    'Streams deliveries, attempts, requests and endpoint changes as server-sent events.',
    '',
    '- The first event is `ready`. Its `id` is the latest sequence number, and its `data` is a JSON object with the ID of the database in `store`.',
    '- If `store` differs after you reconnect, discard the state that your client has stored.',
    '- The `data` of every other event is a JSON object with `type` and `sequence`, and its `id` is the sequence number.',
    '- To resume after a lost connection, send the ID of the last event in `Last-Event-ID`.',
    '- If there is no event for 15 seconds, the emulator sends a comment, which keeps the connection open.',
  ].join('\n'),
  input: {
    types:
      'Types of stream events to send, separated by commas: `delivery`, `attempt`, `request`, `webhook` (default: all). `reset` is always sent.',
    listener:
      'Endpoint IDs, separated by commas. Send only deliveries and attempts of these endpoints. Temporary endpoints among them are not removed while the stream is open.',
    since_sequence: 'Send only events after this sequence number.',
    ...deliveryFilterTexts,
    since: `Time to start from: ${TIME_FORMS} (default: now). Sends the changes since then, followed by new changes.`,
    until: `Send only deliveries created before this schedule time and requests received before this wall time: ${TIME_FORMS}.`,
  } satisfies Record<keyof StreamInput, string>,
  response: 'A stream of server-sent events.',
  example: {
    type: 'delivery',
    sequence: 12,
    delivery: example.delivery,
  } satisfies StreamItem,
};
