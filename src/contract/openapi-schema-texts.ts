/** The descriptions of the resources and of their fields in the OpenAPI documents, by the name of the schema. */
import type * as deliveries from './delivery-schemas.ts';
import type * as emulator from './emulator-schemas.ts';
import type * as explanations from './explanation-schemas.ts';
import type * as faults from './fault-schemas.ts';
import type { FieldText, FieldTexts, SchemaText } from './openapi-text.ts';
import type * as overview from './overview-schemas.ts';
import type * as resources from './resources.ts';
import type * as traces from './trace-schemas.ts';
import type { WaitReport } from './wait-schemas.ts';

const workspaceId = 'ID of the workspace that this object belongs to.';
/** For the resources of `/v1`, whose document does not explain schedule time. */
const createdAt = 'Time at which this object was created.';
/** For the resources of the control plane. */
const createdAtInScheduleTime = 'Schedule time at which this object was created.';
const webhookUrl = 'URL that deliveries are sent to.';

/** The fields of a page, whatever its items are. */
export const pageFields: FieldTexts = {
  data: 'Items on this page, newest first.',
  has_more: 'Whether more items are available after this page.',
  end_cursor:
    'ID of the last item on this page, or `null` if the page is empty. To get the next page, pass it as `starting_after`.',
};

const Event: SchemaText<typeof resources.Event> = {
  description:
    'Something that happened in a workspace. The service delivers an event to each endpoint that subscribes to its type.',
  fields: {
    id: 'ID of the event. Use it to detect duplicate deliveries.',
    workspace_id: workspaceId,
    type: 'Type of the event, in the form `<noun>.<verb>`.',
    payload: 'Data of the event, as passed in the request that created it.',
    created_at: createdAt,
  },
};

const Webhook: SchemaText<typeof resources.Webhook> = {
  description: 'A webhook endpoint: a URL that receives events.',
  fields: {
    id: 'ID of the endpoint.',
    workspace_id: workspaceId,
    url: webhookUrl,
    events: 'Event types that the endpoint receives. `*` matches all event types.',
    created_at: createdAt,
  },
};

const attemptResults = {
  attempts: 'Number of attempts, at most 200.',
  succeeded: 'Number of these attempts that succeeded.',
  p95_ms: 'Duration that 95% of these attempts did not exceed, in milliseconds. `null` without attempts.',
};

const errorFields = {
  code: 'Machine-readable error code.',
  message: 'Human-readable description of the error.',
  request_id: 'ID of the request. The `Request-Id` header contains the same ID.',
};

const ApiKey: SchemaText<typeof resources.ApiKey> = {
  description: 'Metadata of an API key. The key itself is not included.',
  fields: {
    id: 'ID of the API key.',
    name: 'Name of the key. Several keys can have the same name.',
    scopes: 'Scopes that the key grants.',
    workspace_id:
      'ID of the workspace that the key is bound to. `null` if the key is valid for all workspaces.',
    last4:
      'Last four characters of the key. The database stores only these characters and a hash of the key.',
    created_at: 'Wall time at which the key was created.',
    revoked_at: 'Wall time at which the key was revoked. `null` if it has not been revoked.',
  },
};

const WebhookDetail: SchemaText<typeof resources.WebhookDetail> = {
  description: 'A webhook endpoint, including settings that `/v1` does not support.',
  fields: {
    ...Webhook.fields,
    created_at: createdAtInScheduleTime,
    disabled:
      'Whether the endpoint is disabled. While it is disabled, its pending deliveries are paused, and new events create no deliveries for it.',
    headers: 'Additional headers that are sent with each delivery.',
    skip_verify: 'Whether deliveries are sent without verifying the TLS certificate of the receiver.',
    listener:
      'Whether the endpoint is temporary. A temporary endpoint is removed ten seconds after the last live stream that lists its ID in the `listener` parameter ends.',
    previous_secret_expires_at:
      'Schedule time until which deliveries are signed with both the current and the previous secret. Can be in the past. `null` if the secret was never rotated, or was last rotated without an overlap.',
  },
};

const faultMarkFields = { id: 'ID of the fault.', kind: 'Kind of fault.' };
const faultField: FieldText = {
  description: 'Injected fault that was applied. Omitted if no fault was applied.',
  fields: faultMarkFields,
};

const ApiRequest: SchemaText<typeof resources.ApiRequest> = {
  description: 'A request to `/v1` in the request log.',
  fields: {
    id: 'ID of the request. The `Request-Id` header of its response contains the same ID.',
    at: 'Wall time at which the request arrived.',
    method: 'HTTP method.',
    path: 'Path and query, without secrets. Truncated to 2,048 characters, or to 256 if the request had no valid API key.',
    status: 'Status of the response. 0 if an injected fault dropped the connection.',
    error_code: 'Error code of the response. `null` on success.',
    error_message: 'Error message of the response, truncated like the path. `null` on success.',
    duration_ms: 'Time from the arrival of the request to the response, in milliseconds.',
    api_key_id: 'ID of the API key. `null` if the request had no valid key.',
    api_key_name: 'Name of the API key. `null` if the request had no valid key.',
    workspace_id:
      'ID of the workspace that the API key is bound to. `null` if the key is valid for all workspaces, or if the request had no valid key.',
    resource_id:
      'ID of the resource that the request created or accessed. `null` if there is none, for example for a list or a rejected request.',
    user_agent: '`User-Agent` header of the request, truncated like the path. `null` without one.',
    fault: faultField,
  },
};

const probeResponseFields: FieldTexts = {
  outcome: 'Result of the test delivery. `http_error` means a response other than 2xx.',
  response_status: 'Status of the response. `null` if there was no response.',
  error: 'Description of the failure. `null` on success.',
  duration_ms: 'Time from the start of the attempt to its end, in milliseconds.',
};

const requestId =
  'ID of the `/v1` request that created the event. `null` if no request created it, or if the request is no longer in the request log.';

const AttemptPhases: SchemaText<typeof deliveries.AttemptPhases> = {
  description:
    'How long each phase of an attempt took, in real time. Each phase ends when the next one begins. A phase is `null` if the attempt did not have or did not reach it.',
  fields: {
    queued_ms:
      'Time from when the delivery was due until a connection was opened or reused for it, in milliseconds. Includes the wait for other attempts, which is before `sent_at` and not part of `duration_ms`.',
    reused_connection:
      'Whether the request was sent on a connection that was already open. `dns_ms`, `connect_ms` and `tls_ms` are then `null`.',
    dns_ms:
      'Time to resolve the host name, in milliseconds. `null` for an IP address, and if a proxy resolves the name.',
    connect_ms: 'Time to open the TCP connection, directly or through a proxy, in milliseconds.',
    tls_ms: 'Time for the TLS handshake, in milliseconds. `null` without TLS.',
    send_ms: 'Time to send the request, in milliseconds.',
    wait_ms: 'Time from the end of the request to the first byte of the response, in milliseconds.',
    receive_ms: 'Time from the first byte of the response to its end, or to the size limit, in milliseconds.',
  },
};

const attemptFields = {
  id: 'ID of the attempt.',
  number: 'Number of the attempt within its delivery, starting at 1.',
  trigger: '`schedule` if the retry schedule caused the attempt, `manual` if a replay caused it.',
  scheduled_at: 'Schedule time at which the attempt was due.',
  sent_at: 'Wall time at which the attempt was sent.',
  duration_ms: 'Time from the start of the attempt to its end, in milliseconds.',
  outcome: 'Result of the attempt. `http_error` means a response other than 2xx.',
  response_status: 'Status of the response. `null` if there was no response.',
  error: 'Description of the failure. `null` on success.',
  phases: 'How long each phase took. `null` if nothing was sent because of a fault.',
  fault: faultField,
};

const Attempt: SchemaText<typeof deliveries.Attempt> = {
  description: 'An attempt to send a delivery.',
  fields: {
    ...attemptFields,
    request: {
      description: 'Request that was sent to the receiver.',
      fields: {
        url: webhookUrl,
        headers: 'Headers of the request.',
        body: 'Body of the request.',
        signed_content: 'Text that the signature covers.',
      },
    },
    response: {
      description: 'Response of the receiver. `null` if there was no response.',
      fields: {
        headers: 'Headers of the response.',
        body: 'Body of the response, as text or as base64.',
        encoding: 'Encoding of `body`.',
        truncated: 'Whether `body` contains only the beginning of a long response.',
      },
    },
  },
};

const Delivery: SchemaText<typeof deliveries.Delivery> = {
  description: 'A delivery of an event to an endpoint.',
  fields: {
    id: 'ID of the delivery. Each attempt sends it in a header.',
    event_id: 'ID of the event.',
    event_type: 'Type of the event.',
    workspace_id: workspaceId,
    webhook_id: 'ID of the endpoint that receives the delivery.',
    url: webhookUrl,
    status: 'Status of the delivery. A delivery has settled when it is no longer `pending`.',
    settled_reason:
      'Why the delivery failed or was canceled. `replay_failed` if its last replay failed, even if an earlier attempt succeeded. `null` otherwise.',
    paused: 'Whether the delivery is pending, but is not sent because its endpoint is disabled.',
    attempt_count: 'Number of attempts so far.',
    last_attempt: {
      description:
        'Result of the last attempt. `null` before the first. A pending delivery is failing if this attempt failed.',
      fields: {
        number: attemptFields.number,
        outcome: attemptFields.outcome,
        response_status: attemptFields.response_status,
        error: attemptFields.error,
      },
    },
    next_attempt_at: 'Schedule time of the next attempt. `null` if no attempt is planned.',
    created_at: createdAtInScheduleTime,
    settled_at:
      'Schedule time at which the delivery succeeded, failed or was canceled. `null` while it is pending.',
    replay_of: 'ID of the delivery that this delivery replays. `null` if it is not a replay.',
  },
};

const AttemptDetail: SchemaText<typeof deliveries.AttemptDetail> = {
  description: 'An attempt, and the result of verifying its signature.',
  fields: {
    ...Attempt.fields,
    verification:
      'Result of verifying the signature with the correct secret. `null` if the secret or the signature scheme no longer exists.',
  },
};

const signedParts: FieldText = {
  description: 'Parts of the signed text, in order.',
  fields: {
    part: 'What the part contains. `literal` is constant text, such as a separator.',
    text: 'Text of the part.',
  },
};

export const newFaultTexts = {
  on: '`request` to apply the fault to requests to `/v1`, or `delivery` to apply it to deliveries.',
  workspace_id: 'ID of the workspace that the fault is restricted to (default: all workspaces).',
  method: 'For requests: HTTP method to match.',
  path: 'For requests: path to match, such as `/events/{id}`.',
  api_key_id: 'For requests: ID of the API key to match.',
  status:
    'For requests: status of the response. For deliveries: status of the kind `error-response` (default: 503).',
  error_code: 'For requests: error code of the response (default: the code that belongs to `status`).',
  latency_ms: 'For requests: real time to wait before the response, in milliseconds.',
  drop: 'For requests: close the connection without a response, either `before` or `after` the operation runs.',
  kind: 'For deliveries: what happens to the attempt.',
  webhook_id: 'For deliveries: ID of the endpoint to match.',
  type: 'For deliveries: event type to match.',
  delay_ms:
    'For deliveries: how long to delay the delivery in schedule time (`delay`, and at most this long for `reorder`; default: 60000), or how long to take to send the body in real time (`slow-body`, default: 5000), in milliseconds.',
  probability:
    'Probability that the fault is applied to a matching request or attempt: greater than 0, and at most 1.',
  count: 'Maximum number of times to apply the fault (default: no limit).',
};

const EmulatorStatus = {
  description: 'Status of the running emulator.',
  fields: {
    url: 'URL of the emulator.',
    base_url: 'Base URL of the API. Ends in `/v1`.',
    control_url: 'Base URL of the control plane.',
    dashboard_url: 'URL of the dashboard. Includes the control token if one is required.',
    control_token: 'Control token. Omitted if none is required.',
    environment: 'Emulated environment.',
    profile: 'Name of the profile, which sets the behavior that the service description does not define.',
    workspace_id: 'ID of the default workspace.',
    api_key: 'API key of the default workspace.',
    webhook_id: 'ID of the endpoint that `--forward-to` registered. Omitted if it does not exist.',
    webhook_secret: 'Current secret of that endpoint. Omitted if it does not exist.',
    webhook_previous_url:
      'URL that an earlier `--forward-to` delivered to. Omitted if this start did not change it.',
    pid: 'Process ID of the emulator.',
    version: 'Version of svc.',
    db: 'Path of the database file, or `:memory:`.',
    started_at: 'Wall time at which the emulator started.',
    boot_ms: 'Time that the emulator took to start, without the tunnel, in milliseconds.',
    max_attempts: 'Maximum number of scheduled attempts per delivery.',
    payload_member: 'Name of the field of `POST /v1/events` that contains the payload.',
    deliveries: {
      description: 'Deliveries that have not settled.',
      fields: { pending: 'Number of pending deliveries.', in_flight: 'Number of attempts in progress.' },
    },
    retention: {
      description: 'Limits on stored data. `null` means no limit. Pending deliveries are never removed.',
      fields: {
        days: 'Number of days after which events without pending deliveries are removed.',
        requests: 'Maximum number of requests in the request log.',
        megabytes:
          'Database size, in megabytes, above which the oldest events without pending deliveries are removed.',
      },
    },
    storage_problem: {
      description:
        'Problem with the database file. Writes fail until it is resolved. Omitted if there is no problem.',
      fields: {
        kind: 'What happened to the database file.',
        message: 'Description of the problem.',
        hint: 'What to do next.',
      },
    },
  },
} satisfies SchemaText<typeof emulator.EmulatorStatus>;

const ClockState: SchemaText<typeof emulator.ClockState> = {
  description: 'The schedule clock of a workspace.',
  fields: {
    workspace_id: 'ID of the workspace that the clock belongs to.',
    now: 'Current schedule time.',
    rate: 'Current speed, in seconds of schedule time per second of real time. 0 while the clock is frozen.',
    wall: 'Current wall time.',
    next_due_at: 'Schedule time of the next attempt. `null` if no attempt is planned.',
    moving: {
      description: 'The clock move in progress. Omitted if no request is moving the clock.',
      fields: {
        attempts: 'Number of attempts that the move has caused so far.',
        canceled:
          'Whether the client has closed the request. The clock then stops as soon as the attempts in progress have ended.',
      },
    },
  },
};

const EventPage = { description: 'A page of events, newest first.', fields: pageFields };

export const schemaTexts: Readonly<
  Record<string, { readonly description: string; readonly fields: FieldTexts }>
> = {
  ApiKey,
  ApiRequest,
  ApiRequestDetail: {
    description: 'A request to `/v1` in the request log, with its headers and bodies.',
    fields: {
      ...ApiRequest.fields,
      request: 'Headers and body of the request. `null` if it is not one of the 10,000 newest.',
      response: 'Headers and body of the response. Also `null` if an injected fault dropped the connection.',
    },
  } satisfies SchemaText<typeof resources.ApiRequestDetail>,
  Attempt,
  AttemptBucket: {
    description: 'The attempts in one part of a period.',
    fields: {
      starts_at: 'Time at which the bucket starts. It ends where the next one starts.',
      succeeded: 'Number of attempts that succeeded.',
      failed: 'Number of attempts that failed.',
      retried: 'Number of attempts that were not the first one of their delivery.',
    },
  } satisfies SchemaText<typeof overview.AttemptBucket>,
  AttemptDetail,
  AttemptPhases,
  AttemptSummary: {
    description: 'An attempt in a list, without its request and response.',
    fields: {
      ...attemptFields,
      delivery_id: 'ID of the delivery that the attempt belongs to.',
      event_type: 'Type of the event.',
      webhook_id: 'ID of the endpoint that the attempt was sent to.',
    },
  } satisfies SchemaText<typeof deliveries.AttemptSummary>,
  ClockMove: {
    description: 'The schedule clock after a move, and the attempts that the move caused.',
    fields: {
      ...ClockState.fields,
      attempts: 'Attempts that were sent during the move.',
      pending: 'Number of deliveries that are still pending, including paused deliveries.',
      paused: {
        description: 'Disabled endpoints with pending deliveries.',
        fields: { webhook_id: 'ID of the endpoint.', deliveries: 'Number of its pending deliveries.' },
      },
    },
  } satisfies SchemaText<typeof emulator.ClockMove>,
  ClockState,
  ControlErrorBody: {
    description: 'An error response of the control plane.',
    fields: {
      error: {
        description: 'The error.',
        fields: { ...errorFields, hint: 'Human-readable next step. Omitted if there is none.' },
      },
    },
  } satisfies SchemaText<typeof resources.ControlErrorBody>,
  CreatedApiKey: {
    description: 'A new API key, including the key itself.',
    fields: { ...ApiKey.fields, key: 'The key itself. It is returned only when the key is created.' },
  },
  CreatedWebhook: {
    description: 'A new endpoint with its secret.',
    fields: {
      ...Webhook.fields,
      secret: 'Secret that deliveries are signed with. It is returned only when the endpoint is created.',
    },
  } satisfies SchemaText<typeof resources.CreatedWebhook>,
  Delivery,
  DeliveryTrace: {
    description: 'A delivery in a trace, with its attempts.',
    fields: {
      ...Delivery.fields,
      attempts: 'The newest attempts, in order, without their requests and responses.',
    },
  } satisfies SchemaText<typeof traces.DeliveryTrace>,
  DeliveryDetail: {
    description: 'A delivery with its attempts.',
    fields: {
      ...Delivery.fields,
      attempts: 'Attempts so far, in order.',
      planned_attempts:
        'Schedule times of the remaining attempts if all of them fail. The times after the next attempt are without jitter and `Retry-After`. Contains at most 100 times.',
    },
  } satisfies SchemaText<typeof deliveries.DeliveryDetail>,
  Diagnosis: {
    description: 'Result of the database check.',
    fields: {
      database: {
        description: 'State of the database.',
        fields: {
          size_bytes: 'Size of the database in bytes.',
          schema_version: 'Version of the database schema.',
          newest_schema_version: 'Newest schema version that this version of svc supports.',
          damage: 'Problems that the integrity check of SQLite found. Empty if there are none.',
        },
      },
    },
  } satisfies SchemaText<typeof emulator.Diagnosis>,
  ControlIndex: {
    description: 'Links to everything that the emulator serves.',
    fields: {
      version: 'Version of the emulator.',
      base_url: 'Base URL of the API. Ends in `/v1`.',
      control_url: 'Base URL of the control plane.',
      dashboard_url: 'URL of the dashboard. Includes the control token if one is required.',
      docs_url:
        'URL of the documentation of this version, usually a file on the machine that runs the emulator.',
      openapi_url: 'URL of the OpenAPI document of the control plane.',
      operations: {
        description: 'The operations of the control plane.',
        fields: {
          method: 'HTTP method.',
          url: 'URL, in which `{id}` and similar names are placeholders.',
          summary: 'What the operation does.',
        },
      },
    },
  } satisfies SchemaText<typeof emulator.ControlIndex>,
  EmulatorStatus,
  ErrorBody: {
    description: 'An error response.',
    fields: { error: { description: 'The error.', fields: errorFields } },
  } satisfies SchemaText<typeof resources.ErrorBody>,
  Event,
  EventDetail: {
    description: 'An event, and the ID of the request that created it.',
    fields: {
      ...Event.fields,
      created_at: createdAtInScheduleTime,
      request_id: requestId,
      payload_text: 'Payload as JSON text. Numbers are written as in the request.',
    },
  } satisfies SchemaText<typeof resources.EventDetail>,
  EventPage,
  DeliveryStatusCounts: {
    description: 'Number of deliveries that have not succeeded, by status. Each count stops at 1,000.',
    fields: {
      pending: 'Number of pending deliveries, including those that are failing or paused.',
      failing: 'Number of pending deliveries whose last attempt failed.',
      paused: 'Number of pending deliveries to disabled endpoints.',
      failed: 'Number of deliveries that failed.',
      canceled: 'Number of deliveries that were canceled.',
    },
  } satisfies SchemaText<typeof overview.DeliveryStatusCounts>,
  EndpointSummary: {
    description: 'An endpoint, and the results of its newest 200 attempts.',
    fields: {
      webhook_id: 'ID of the endpoint.',
      url: webhookUrl,
      disabled: 'Whether the endpoint is disabled.',
      ...attemptResults,
      last_failure: 'Newest of these attempts that failed. `null` if none failed.',
      next_attempt_at:
        'Schedule time of the next attempt to the endpoint. `null` if none is planned or the endpoint is disabled.',
    },
  } satisfies SchemaText<typeof overview.EndpointSummary>,
  EventTrace: {
    description: 'What happened to an event.',
    fields: {
      event: 'The event.',
      request:
        'The `/v1` request that created the event. `null` if no request created it, or if the request is no longer in the request log.',
      deliveries: 'A page of the deliveries of the event, oldest first.',
      has_more: 'Whether the event has more deliveries.',
      end_cursor: 'ID of the last delivery, for `starting_after`. `null` without deliveries.',
    },
  } satisfies SchemaText<typeof traces.EventTrace>,
  EventSummary: {
    description: 'An event in a list, without its payload.',
    fields: {
      id: Event.fields.id,
      workspace_id: workspaceId,
      type: Event.fields.type,
      created_at: createdAtInScheduleTime,
      request_id: requestId,
      delivery_counts: {
        description: 'Number of deliveries of the event, by status.',
        fields: {
          pending: 'Number of pending deliveries, including those that are failing or paused.',
          failing: 'Number of pending deliveries whose last attempt failed.',
          paused: 'Number of pending deliveries to disabled endpoints.',
          succeeded: 'Number of deliveries that succeeded.',
          failed: 'Number of deliveries that failed.',
          canceled: 'Number of deliveries that were canceled.',
        },
      },
    },
  } satisfies SchemaText<typeof resources.EventSummary>,
  Explanation: {
    description:
      'Why a delivery failed or is waiting. The emulator knows what it sent and received. The secret and the code of the receiver are unknown to it.',
    fields: {
      delivery: 'The delivery.',
      attempt: {
        description: 'The attempt that is explained. `null` if none was made.',
        fields: {
          number: AttemptDetail.fields.number,
          trigger: AttemptDetail.fields.trigger,
          sent_at: AttemptDetail.fields.sent_at,
          duration_ms: AttemptDetail.fields.duration_ms,
          outcome: AttemptDetail.fields.outcome,
          response_status: AttemptDetail.fields.response_status,
          error: AttemptDetail.fields.error,
          fault: AttemptDetail.fields.fault,
          response_body:
            'Start of the response body. `null` if the response has no body, or if the body is not text.',
        },
      },
      summary: 'State of the delivery.',
      cause:
        'Why the delivery is in this state. `rejected` and `receiver_error` mean that only the receiver knows the reason.',
      certainty:
        '`certain` if the cause was recorded, or reported by the receiver. `likely` if it is the best explanation of what was recorded.',
      detail: 'Explanation of the cause.',
      mistake: {
        description:
          'What the receiver does wrong with the signature. `null` if it is not known, or if the receiver did not reject the signature.',
        fields: {
          reason: 'Kind of the mistake.',
          detail: 'Explanation of the mistake.',
          remedy: 'How to correct the mistake.',
        },
      },
      evidence:
        'Facts that were recorded, the most useful first. The receiver may have been changed or restarted since, so they exclude no cause.',
      signature: {
        description:
          'How a correct receiver verifies the attempt. `null` if the failure has nothing to do with the signature.',
        fields: {
          scheme: 'Name of the signature scheme.',
          steps: {
            description: 'Steps of the verification, in order.',
            fields: { step: 'What the receiver does.', value: 'Correct value in this step.' },
          },
          verification: AttemptDetail.fields.verification,
        },
      },
      remedy: 'What to do. `null` if there is nothing to do.',
      next: {
        description: 'At most three commands to run next, the most useful first.',
        fields: {
          purpose: 'What the command does.',
          command: 'Command line. Words in capitals, such as `SECRET`, stand for values that you insert.',
        },
      },
    },
  } satisfies SchemaText<typeof explanations.Explanation>,
  Fault: {
    description: 'An injected fault.',
    fields: {
      id: 'ID of the fault.',
      ...newFaultTexts,
      workspace_id:
        'ID of the workspace that the fault is restricted to. Omitted if it applies to all workspaces.',
      error_code:
        'For requests: error code of the response. Omitted if it is the code that belongs to `status`.',
      count: 'Maximum number of times that the fault is applied. Omitted if there is no limit.',
      fired: 'Number of times that the fault has been applied.',
      created_at: 'Wall time at which the fault was added.',
    },
  } satisfies SchemaText<typeof faults.Fault>,
  FaultMark: {
    description: 'An injected fault that was applied to a request or an attempt.',
    fields: faultMarkFields,
  } satisfies SchemaText<typeof faults.FaultMark>,
  FilledFixture: {
    description: 'A payload that was created from a fixture.',
    fields: {
      type: 'Event type.',
      description: 'Description of the event type.',
      payload_text:
        'Payload as JSON text, in which templates are replaced by new values. Numbers are written as in the fixture.',
    },
  } satisfies SchemaText<typeof resources.FilledFixture>,
  FixtureSummary: {
    description: 'A fixture, which is a sample payload for an event type.',
    fields: {
      type: 'Event type.',
      source: 'Where the fixture comes from. A fixture of the project replaces a built-in one.',
      description: 'Description of the event type. `null` if the file is invalid.',
      problem: 'Why the file is invalid. `null` if it is valid.',
    },
  } satisfies SchemaText<typeof resources.FixtureSummary>,
  Overview: {
    description: 'The deliveries of a workspace at a glance.',
    fields: {
      workspace_id: 'ID of the workspace.',
      clock: 'Clock that the buckets follow.',
      bucket_ms: 'Length of a bucket in milliseconds.',
      ends_at: 'End of the last bucket, which contains the current time.',
      buckets: 'Attempts over time, oldest first.',
      has_deliveries: 'Whether the workspace has deliveries.',
      delivery_counts: 'Deliveries that have not succeeded.',
      endpoints: 'Endpoints of the workspace, newest first. At most 50.',
      has_more_endpoints: 'Whether the workspace has more endpoints.',
      due: 'Deliveries with the next planned attempts, in order of their due times. At most 5.',
      faults: 'Faults that still apply to this workspace, oldest first. At most 20.',
    },
  } satisfies SchemaText<typeof overview.Overview>,
  LoggedMessage: {
    description: 'The headers and the body of a logged request or of its response.',
    fields: {
      headers:
        'Headers, without those that Node.js adds to a response. Secrets are removed; of an API key, the last four characters remain.',
      body: 'Body. A request has at most 256 KiB of it and a response 64 KiB. `null` if it was not read, for example without a valid API key.',
      encoding: '`base64` if the body is not valid UTF-8.',
      size_bytes: 'Size of the whole body in bytes. `null` if it was not read.',
      truncated: 'Whether only a part of the path, the headers or the body is stored.',
    },
  } satisfies SchemaText<typeof resources.LoggedMessage>,
  ResetResult: {
    description: 'Status of the emulator after a reset.',
    fields: {
      ...EmulatorStatus.fields,
      kept_deliveries: 'Number of deliveries in the state that was restored.',
    },
  } satisfies SchemaText<typeof emulator.ResetResult>,
  SavedSnapshot: {
    description: 'A saved snapshot.',
    fields: {
      path: 'Path of the file.',
      size_bytes: 'Size of the file in bytes.',
      saved_at: 'Wall time at which the snapshot was saved.',
    },
  } satisfies SchemaText<typeof emulator.SavedSnapshot>,
  SignatureCheck: {
    description: 'The steps that a receiver takes to verify a signature.',
    fields: {
      signed_parts: signedParts,
      signatures: {
        description: 'Signatures that the secrets produce, in the order of the secrets.',
        fields: {
          signature: 'The signature.',
          matches: 'Whether the signature header contains this signature.',
        },
      },
      verification: 'Result of the verification.',
    },
  } satisfies SchemaText<typeof deliveries.SignatureCheck>,
  SignatureDetail: {
    description: 'How an attempt was signed.',
    fields: {
      scheme: 'Name of the signature scheme.',
      attempt: 'Number of the attempt.',
      headers: 'Headers of the attempt that belong to the signature scheme.',
      signed_parts: signedParts,
      secrets: {
        description: 'Secrets of the endpoint.',
        fields: {
          name: '`current`, or `previous` for the secret that was replaced by a rotation.',
          masked: 'The secret, with most of its characters hidden.',
          signature: 'Signature that this secret produces.',
          matches: 'Whether the signature header contains this signature.',
        },
      },
      verification: AttemptDetail.fields.verification,
      reserialized: {
        description:
          'Result for a receiver that parses the body and serializes it again before it verifies the signature. `null` if this does not change the body, or if the body is not JSON.',
        fields: {
          body: 'Body after it was parsed and serialized again.',
          signature: 'Signature of this body.',
          matches: 'Whether the signature header contains this signature.',
          differs_at: 'Index of the first character that differs from the body that was sent.',
        },
      },
    },
  } satisfies SchemaText<typeof deliveries.SignatureDetail>,
  StreamItem: {
    description: 'An event in the live stream.',
    fields: {
      type: 'Kind of change. `reset` means that all state was replaced: discard the state that your client has stored.',
      sequence: 'Sequence number of the event. Later events have higher numbers.',
      delivery: 'Delivery that was created or has settled, or that the attempt belongs to.',
      attempt: 'Attempt that has ended.',
      request: 'Request that was logged.',
      webhook:
        'Endpoint that was changed, disabled or enabled, or whose secret was rotated. The pending deliveries of a disabled endpoint are paused.',
    },
  },
  Verification: {
    description: 'Result of verifying a signature, as `svc verify` prints it.',
    fields: {
      ok: 'Whether the signature is valid.',
      reason: 'Why the signature was rejected. `null` if it is valid.',
      detail: 'Explanation of the result.',
      remedy: 'What to do next. `null` if the signature is valid.',
      scheme: 'Name of the signature scheme.',
    },
  } satisfies SchemaText<typeof deliveries.Verification>,
  WebhookDetail,
  WebhookProbe: {
    description: 'Result of an endpoint test.',
    fields: {
      webhook_id: 'ID of the endpoint.',
      url: webhookUrl,
      connection: {
        description: 'The connection to the receiver.',
        fields: {
          outcome: '`connected`, or the kind of failure.',
          error: 'Description of the failure. `null` if `outcome` is `connected`.',
          duration_ms: 'Time to connect, in milliseconds.',
          address:
            'IP address that the emulator connected to, which can be the address of a proxy. `null` if the connection failed.',
          certificate: {
            description:
              'TLS certificate of the receiver. `null` if the connection failed or does not use TLS.',
            fields: {
              issuer: 'Issuer of the certificate.',
              valid_to: 'Wall time at which the certificate expires.',
            },
          },
        },
      },
      genuine: {
        description:
          'Result of the test delivery that was signed with the correct secret. `null` if it was not sent.',
        fields: probeResponseFields,
      },
      forged: {
        description:
          'Result of the test delivery that was signed with a wrong secret. `null` if it was not sent.',
        fields: probeResponseFields,
      },
    },
  } satisfies SchemaText<typeof resources.WebhookProbe>,
  WaitReport: {
    description: 'The state of the deliveries that a request has waited for.',
    fields: {
      settled:
        'Whether the deliveries have settled, in the number and with the status that the request asks for.',
      hint: 'What is missing, and how to continue. `null` if `settled` is `true`.',
      counts: {
        description: 'Number of deliveries by status.',
        fields: {
          pending: 'Deliveries that have not settled.',
          succeeded: 'Deliveries that succeeded.',
          failed: 'Deliveries that failed.',
          canceled: 'Deliveries that were canceled.',
        },
      },
      data: 'The deliveries, newest first, at most 1,000.',
      has_more: 'Whether there are more deliveries than `data` contains.',
      end_cursor:
        'ID of the last delivery in `data`, or `null` if there is none. To get more, pass it as `starting_after` of `GET /deliveries`.',
    },
  } satisfies SchemaText<typeof WaitReport>,
  WebhookWithSecret: {
    description: 'An endpoint with its secret.',
    fields: { ...WebhookDetail.fields, secret: 'Secret that deliveries are signed with.' },
  },
  WebhookWithStatistics: {
    description: 'A webhook endpoint with the results of its newest attempts.',
    fields: {
      ...WebhookDetail.fields,
      statistics: 'Results of the newest attempts. Missing without the parameter `recent_attempts`.',
    },
  } satisfies SchemaText<typeof overview.WebhookWithStatistics>,
  WebhookStatistics: {
    description: 'The results of the newest 200 attempts to an endpoint.',
    fields: {
      ...attemptResults,
      p50_ms: 'Median duration of these attempts, in milliseconds. `null` without attempts.',
      max_ms: 'Longest duration of these attempts, in milliseconds. `null` without attempts.',
      last_attempt_at: 'Wall time at which the newest attempt was sent. `null` without attempts.',
      recent_attempts: {
        description:
          'The newest attempts, newest first. The parameter `recent_attempts` limits their number.',
        fields: {
          outcome: 'Result of the attempt.',
          duration_ms: 'Duration of the attempt in milliseconds.',
        },
      },
    },
  } satisfies SchemaText<typeof overview.WebhookStatistics>,
  Workspace: {
    description: 'A workspace, which owns events, endpoints and deliveries.',
    fields: {
      id: 'ID of the workspace.',
      name: 'Name of the workspace.',
      environment: 'Environment that the workspace belongs to.',
      created_at: createdAt,
    },
  } satisfies SchemaText<typeof resources.Workspace>,
};
