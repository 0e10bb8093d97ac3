/** The descriptions of the resources and of their fields in the OpenAPI documents, by the name of the schema. */
import type * as deliveries from './delivery-schemas.ts';
import type * as emulator from './emulator-schemas.ts';
import type * as faults from './fault-schemas.ts';
import type { FieldText, FieldTexts, SchemaText } from './openapi-text.ts';
import type * as resources from './resources.ts';

const workspaceId = 'ID of the workspace that the object belongs to.';
/** `/v1` has only one clock, and its document does not explain schedule time. */
const createdAt = 'Time at which the object was created.';
const createdAtInScheduleTime = 'Schedule time at which the object was created.';
const webhookUrl = 'URL that deliveries are sent to.';

export const pageFields: FieldTexts = {
  data: 'Items of this page, newest first.',
  has_more: 'Whether older items follow.',
  end_cursor:
    'ID of the last item. Pass it as `starting_after` to get the next page. `null` if the page is empty.',
};

const Event: SchemaText<typeof resources.Event> = {
  description:
    'Something that happened in a workspace. The service delivers it to each endpoint that subscribes to its type.',
  fields: {
    id: 'ID of the event. Use it to detect duplicate deliveries.',
    workspace_id: workspaceId,
    type: 'Event type, `<noun>.<verb>`.',
    payload: 'Payload of the event.',
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

const errorFields = {
  code: 'Machine-readable error code.',
  message: 'Human-readable description of the error.',
  request_id: 'ID of the request, as in the `Request-Id` header.',
};

const ApiKey: SchemaText<typeof resources.ApiKey> = {
  description: 'An API key, without the key itself.',
  fields: {
    id: 'ID of the API key.',
    scopes: 'Scopes of the key.',
    workspace_id: 'Workspace that the key is bound to. `null`: the key is valid for all workspaces.',
    last4: 'Last four characters of the key. The database does not contain the rest of the key, only a hash.',
    created_at: 'Wall time at which the key was created.',
    revoked_at: 'Wall time at which the key was revoked. `null` if it is valid.',
  },
};

const WebhookDetail: SchemaText<typeof resources.WebhookDetail> = {
  description: 'An endpoint, with settings that `/v1` does not support.',
  fields: {
    ...Webhook.fields,
    created_at: createdAtInScheduleTime,
    disabled:
      'Whether the endpoint is disabled. Its pending deliveries wait, and new events create no deliveries for it.',
    headers: 'Headers that are added to each delivery.',
    skip_verify: 'Whether verification of the TLS certificate is skipped.',
    listener:
      'Whether the endpoint is removed ten seconds after the last stream that listens to it has ended.',
    previous_secret_expires_at:
      'Schedule time until which deliveries are also signed with the previous secret. It stays set after that time. `null` if there was no overlap.',
  },
};

const faultMarkFields = { id: 'ID of the fault.', kind: 'Kind of the fault.' };
const faultField: FieldText = {
  description: 'Injected fault that was applied. Omitted if there was none.',
  fields: faultMarkFields,
};

const probeResponseFields: FieldTexts = {
  outcome: 'How the delivery ended.',
  response_status: 'Status of the response. `null` if there was no response.',
  error: 'What went wrong. `null` on success.',
  duration_ms: 'Time until the end of the response, in milliseconds.',
};

const requestId =
  'Request to `/v1` that created the event. `null` if no request created it, or if the request is no longer in the log.';

const attemptFields = {
  id: 'ID of the attempt.',
  number: 'Number of the attempt within its delivery, starting at 1.',
  trigger: 'What caused the attempt: the retry `schedule`, or a `manual` replay.',
  scheduled_at: 'Schedule time at which the attempt was due.',
  sent_at: 'Wall time at which the attempt was sent.',
  duration_ms: 'Time until the end of the response, in milliseconds.',
  outcome: 'How the attempt ended.',
  response_status: 'Status of the response. `null` if there was no response.',
  error: 'What went wrong. `null` on success.',
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
      description: 'Response of the receiver. `null` if there was none.',
      fields: {
        headers: 'Headers of the response.',
        body: 'Body of the response, as text or as base64.',
        encoding: 'Encoding of `body`.',
        truncated: 'Whether the body was truncated because it was too long.',
      },
    },
  },
};

const Delivery: SchemaText<typeof deliveries.Delivery> = {
  description: 'A delivery of an event to an endpoint.',
  fields: {
    id: 'ID of the delivery. Each attempt sends it in a header.',
    event_id: 'Event that is delivered.',
    event_type: 'Type of the delivered event.',
    workspace_id: workspaceId,
    webhook_id: 'Endpoint that receives the delivery.',
    url: webhookUrl,
    status: 'Status of the delivery.',
    settled_reason:
      'Why the delivery failed or was canceled, or `replay_failed` if its last replay failed. `null` otherwise.',
    paused: 'Whether the delivery is pending but not sent because its endpoint is disabled.',
    attempt_count: 'Number of attempts so far.',
    next_attempt_at: 'Schedule time of the next attempt. `null` if none is planned.',
    created_at: createdAtInScheduleTime,
    settled_at: 'Schedule time at which it succeeded, failed or was canceled. `null` while it is pending.',
    replay_of: 'Delivery that this one is a replay of. `null` for an original delivery.',
  },
};

const AttemptDetail: SchemaText<typeof deliveries.AttemptDetail> = {
  description: 'An attempt, and the result of verifying its signature.',
  fields: {
    ...Attempt.fields,
    verification:
      'Verification result with the correct secret. `null` if the secret or the scheme no longer exists.',
  },
};

const signedParts: FieldText = {
  description: 'Parts of the signed text, in order.',
  fields: { part: 'Kind of part.', text: 'Text of the part.' },
};

export const newFaultTexts = {
  on: 'What the fault is applied to: requests to `/v1`, or deliveries.',
  workspace_id: 'Only this workspace (default: all workspaces).',
  method: 'Requests: only this HTTP method.',
  path: 'Requests: only this path, such as `/events/{id}`.',
  api_key_id: 'Requests: only this API key.',
  status: 'Requests: respond with this status.',
  error_code: 'Requests: error code of that response (default: the code that belongs to the status).',
  latency_ms: 'Requests: real time to wait before the response, in milliseconds.',
  drop: 'Requests: close the connection without a response, `before` or `after` the operation.',
  kind: 'Deliveries: what happens to the attempt.',
  webhook_id: 'Only for deliveries to this endpoint.',
  type: 'Only for deliveries of this event type.',
  delay_ms:
    'Deliveries: duration in milliseconds, in schedule time for `delay` and `reorder`, in real time for `slow-body`.',
  probability:
    'Probability that the fault is applied to a matching request or attempt, above 0 and at most 1.',
  count: 'Number of times to apply the fault (default: no limit).',
};

const ClockState: SchemaText<typeof emulator.ClockState> = {
  description: 'The schedule clock of a workspace.',
  fields: {
    workspace_id: 'Workspace that the clock belongs to.',
    now: 'Current schedule time.',
    rate: 'Current speed: seconds of schedule time for each second of real time. 0 while the clock is frozen.',
    wall: 'Current wall time.',
    next_due_at: 'Schedule time of the next attempt. `null` if none is planned.',
    moving: {
      description: 'The clock move that is in progress. Omitted if there is none.',
      fields: { attempts: 'Attempts that the move has caused so far.' },
    },
  },
};

const EventPage = { description: 'A page of events, newest first.', fields: pageFields };

export const schemaTexts: Readonly<
  Record<string, { readonly description: string; readonly fields: FieldTexts }>
> = {
  ApiKey,
  ApiRequest: {
    description: 'A request to `/v1` in the request log.',
    fields: {
      id: 'ID of the request, as in its `Request-Id` header.',
      at: 'Wall time at which the request arrived.',
      method: 'HTTP method.',
      path: 'Path and query, truncated to 2,048 characters (256 without a valid API key).',
      status: 'Status of the response. 0 if the connection was dropped.',
      error_code: 'Error code of the response. `null` on success.',
      duration_ms: 'Time until the response, in milliseconds.',
      api_key_id: 'API key of the request. `null` if the request had no valid key.',
      workspace_id: 'Workspace of the API key. `null` if the key is valid for all workspaces.',
      resource_id: 'Resource that the request created or accessed. `null` for a list.',
      fault: faultField,
    },
  } satisfies SchemaText<typeof resources.ApiRequest>,
  Attempt,
  AttemptDetail,
  AttemptSummary: {
    description: 'An attempt in a list, without request and response.',
    fields: {
      ...attemptFields,
      delivery_id: 'Delivery that the attempt belongs to.',
      event_type: 'Type of the delivered event.',
      webhook_id: 'Endpoint that received the attempt.',
    },
  } satisfies SchemaText<typeof deliveries.AttemptSummary>,
  ClockMove: {
    description: 'The schedule clock after a move, and what the move caused.',
    fields: {
      ...ClockState.fields,
      attempts: 'Attempts that were sent during the move.',
      pending: 'Number of deliveries that are still pending, including paused deliveries.',
      paused: {
        description: 'Pending deliveries that were not sent because their endpoint is disabled.',
        fields: { webhook_id: 'Endpoint that is disabled.', deliveries: 'Number of its pending deliveries.' },
      },
    },
  } satisfies SchemaText<typeof emulator.ClockMove>,
  ClockState,
  ControlErrorBody: {
    description: 'An error of the control plane.',
    fields: {
      error: { description: 'The error.', fields: { ...errorFields, hint: 'Human-readable next step.' } },
    },
  } satisfies SchemaText<typeof resources.ControlErrorBody>,
  CreatedApiKey: {
    description: 'A new API key.',
    fields: { ...ApiKey.fields, key: 'The key itself. Only this response contains it.' },
  },
  CreatedWebhook: {
    description: 'A new endpoint with its secret.',
    fields: {
      ...Webhook.fields,
      secret: 'Secret that signs the deliveries. Only this response contains it.',
    },
  } satisfies SchemaText<typeof resources.CreatedWebhook>,
  Delivery,
  DeliveryDetail: {
    description: 'A delivery with its attempts.',
    fields: {
      ...Delivery.fields,
      attempts: 'Attempts so far, in order.',
      planned_attempts:
        'Schedule times of the remaining attempts if all of them fail, ignoring jitter and `Retry-After`. At most 100 are listed.',
    },
  } satisfies SchemaText<typeof deliveries.DeliveryDetail>,
  Diagnosis: {
    description: 'Result of the database check.',
    fields: {
      database: {
        description: 'The database.',
        fields: {
          size_bytes: 'Size in bytes.',
          schema_version: 'Version of its schema.',
          newest_schema_version: 'Newest schema version that this version of svc supports.',
          damage: 'Damage that SQLite found. Empty if there is none.',
        },
      },
    },
  } satisfies SchemaText<typeof emulator.Diagnosis>,
  EmulatorStatus: {
    description: 'Status of the running emulator.',
    fields: {
      url: 'Address of the emulator.',
      base_url: 'Address of the API, which ends in `/v1`.',
      control_url: 'Address of the control plane.',
      dashboard_url: 'Address of the dashboard, with the token if there is one.',
      control_token: 'Control token. Omitted if none is required.',
      environment: 'Environment of the emulator.',
      profile: 'Name of the profile. It sets the behavior that the service description leaves open.',
      workspace_id: 'ID of the default workspace.',
      api_key: 'API key of the default workspace.',
      webhook_id: 'Endpoint that `--forward-to` registered. Omitted without that option.',
      webhook_secret: 'Secret of the `--forward-to` endpoint. Omitted without that option.',
      pid: 'Process ID of the emulator.',
      version: 'Version of svc.',
      db: 'Path of the database file, or `:memory:`.',
      started_at: 'Wall time at which the emulator started.',
      boot_ms: 'Time from the start until the emulator was ready, in milliseconds.',
      max_attempts: 'Maximum number of scheduled attempts for a delivery.',
      payload_member: 'Field of `POST /v1/events` that contains the payload.',
      deliveries: {
        description: 'Deliveries that have not settled.',
        fields: { pending: 'Number of pending deliveries.', in_flight: 'Number of attempts in progress.' },
      },
      retention: {
        description: 'Retention limits. `null` means no limit. Pending deliveries are always kept.',
        fields: {
          days: 'Days after which events are removed once all their deliveries have settled.',
          requests: 'Maximum number of requests in the request log.',
          megabytes:
            'Database size, in megabytes, above which the oldest events without pending deliveries are removed.',
        },
      },
      storage_problem: {
        description:
          'Problem with the database file. Writes fail until it is resolved. Omitted if there is no problem.',
        fields: {
          kind: 'Kind of the problem.',
          message: 'Description of the problem.',
          hint: 'Next step.',
        },
      },
    },
  } satisfies SchemaText<typeof emulator.EmulatorStatus>,
  ErrorBody: {
    description: 'An error.',
    fields: { error: { description: 'The error.', fields: errorFields } },
  } satisfies SchemaText<typeof resources.ErrorBody>,
  Event,
  EventDetail: {
    description: 'An event with the request that created it.',
    fields: {
      ...Event.fields,
      created_at: createdAtInScheduleTime,
      request_id: requestId,
      payload_text: 'The payload as JSON text. Numbers are written as they were sent.',
    },
  } satisfies SchemaText<typeof resources.EventDetail>,
  EventPage,
  EventSummary: {
    description: 'An event in a list, without its payload.',
    fields: {
      id: Event.fields.id,
      workspace_id: workspaceId,
      type: Event.fields.type,
      created_at: createdAtInScheduleTime,
      request_id: requestId,
      delivery_counts: {
        description: 'Number of its deliveries by status.',
        fields: {
          pending: 'Number of pending deliveries.',
          succeeded: 'Number of deliveries that succeeded.',
          failed: 'Number of deliveries that failed.',
          canceled: 'Number of deliveries that were canceled.',
        },
      },
    },
  } satisfies SchemaText<typeof resources.EventSummary>,
  Fault: {
    description: 'An injected fault.',
    fields: {
      id: 'ID of the fault.',
      ...newFaultTexts,
      workspace_id: 'Workspace that the fault is restricted to. Omitted if it applies to all workspaces.',
      error_code:
        'Requests: error code of that response. Omitted if it is the code that belongs to the status.',
      count: 'Maximum number of times that the fault is applied. Omitted if there is no limit.',
      fired: 'Number of times that the fault was applied.',
      created_at: 'Wall time at which the fault was added.',
    },
  } satisfies SchemaText<typeof faults.Fault>,
  FaultMark: {
    description: 'An injected fault that was applied to a request or an attempt.',
    fields: faultMarkFields,
  } satisfies SchemaText<typeof faults.FaultMark>,
  FilledFixture: {
    description: 'The payload that a fixture produces.',
    fields: {
      type: 'Event type.',
      description: 'What the event means.',
      payload_text:
        'Payload as JSON text, with new values for its templates. Numbers are written as in the fixture.',
    },
  } satisfies SchemaText<typeof resources.FilledFixture>,
  FixtureSummary: {
    description: 'A fixture of an event type.',
    fields: {
      type: 'Event type.',
      source: 'Where the fixture comes from. A fixture of the project replaces a built-in one.',
      description: 'What the event means. `null` if the file is invalid.',
      problem: 'Why the file is invalid. `null` if it is valid.',
    },
  } satisfies SchemaText<typeof resources.FixtureSummary>,
  SavedSnapshot: {
    description: 'A saved snapshot.',
    fields: {
      path: 'Path of the file.',
      size_bytes: 'Size of the file in bytes.',
      saved_at: 'Wall time at which the snapshot was saved.',
    },
  } satisfies SchemaText<typeof emulator.SavedSnapshot>,
  SignatureCheck: {
    description: 'The steps that a receiver takes to verify an attempt.',
    fields: {
      signed_parts: signedParts,
      signatures: {
        description: 'Signature that each secret produces.',
        fields: { signature: 'The signature.', matches: 'Whether the header contains it.' },
      },
      verification: 'Result of the verification.',
    },
  } satisfies SchemaText<typeof deliveries.SignatureCheck>,
  SignatureDetail: {
    description: 'An explanation of the signature of an attempt.',
    fields: {
      scheme: 'Signature scheme that was used.',
      attempt: 'Number of the attempt.',
      headers: 'Headers of the attempt that belong to the scheme.',
      signed_parts: signedParts,
      secrets: {
        description: 'Secrets of the endpoint.',
        fields: {
          name: '`current`, or `previous` after a rotation.',
          masked: 'The secret, with most of it hidden.',
          signature: 'Signature that this secret produces.',
          matches: 'Whether the header contains that signature.',
        },
      },
      verification: AttemptDetail.fields.verification,
      reserialised: {
        description:
          'Result for a receiver that parses and re-serializes the body before it verifies the signature. `null` if this does not change the bytes.',
        fields: {
          body: 'Body after parsing and serializing.',
          signature: 'Signature of that body.',
          matches: 'Whether the header contains that signature.',
          differs_at: 'Index of the first character that differs.',
        },
      },
    },
  } satisfies SchemaText<typeof deliveries.SignatureDetail>,
  StreamItem: {
    description: 'An event of the live stream.',
    fields: {
      type: 'Kind of change. `reset`: the state was replaced. Discard the state that your client has stored.',
      sequence: 'Position in the stream. Later events have higher numbers.',
      delivery: 'Delivery that was created or settled, or that the attempt belongs to.',
      attempt: 'Attempt that has ended.',
      request: 'Request that was logged.',
      webhook:
        'Endpoint that was changed, disabled or enabled. The deliveries of a disabled endpoint are paused.',
    },
  },
  Verification: {
    description: 'Result of verifying a signature, as `svc verify` prints it.',
    fields: {
      ok: 'Whether the signature is valid.',
      reason: 'Why the signature was rejected. `null` if it is valid.',
      detail: 'The result in one sentence.',
      remedy: 'What to do next. `null` if the signature is valid.',
      scheme: 'Signature scheme that was used.',
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
          outcome: '`connected`, or how the connection failed.',
          error: 'What went wrong. `null` if connected.',
          duration_ms: 'Time to connect, in milliseconds.',
          address:
            'IP address of the connection, which can be that of a proxy. `null` if the connection failed.',
          certificate: {
            description: 'TLS certificate of the receiver. `null` if the connection does not use TLS.',
            fields: {
              issuer: 'Who issued the certificate.',
              valid_to: 'Wall time at which the certificate expires.',
            },
          },
        },
      },
      genuine: {
        description: 'Response to a correctly signed delivery of type `svc.probe`. `null` if none was sent.',
        fields: probeResponseFields,
      },
      forged: {
        description: 'Response to the same delivery, signed with a wrong secret. `null` if none was sent.',
        fields: probeResponseFields,
      },
    },
  } satisfies SchemaText<typeof resources.WebhookProbe>,
  WebhookWithSecret: {
    description: 'An endpoint with its secret.',
    fields: { ...WebhookDetail.fields, secret: 'Secret that signs the deliveries.' },
  },
  Workspace: {
    description: 'A workspace: it owns events, endpoints, deliveries and a schedule clock.',
    fields: {
      id: 'ID of the workspace.',
      name: 'Name of the workspace.',
      environment: 'Environment of the emulator.',
      created_at: createdAt,
    },
  } satisfies SchemaText<typeof resources.Workspace>,
};
