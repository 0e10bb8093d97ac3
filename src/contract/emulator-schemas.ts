/** Schemas of the emulator, its clocks, its database and its snapshots. `openapi-schema-texts.ts` describes each field. */
import * as v from 'valibot';
import { profileNames } from '../profile/rules.ts';
import { AttemptSummary } from './delivery-schemas.ts';
import { Count, idOf, Timestamp } from './fields.ts';
import { EnvironmentName } from './resources.ts';

export const EmulatorStatus = v.object({
  url: v.string(),
  base_url: v.string(),
  control_url: v.string(),
  dashboard_url: v.string(),
  control_token: v.optional(v.string()),
  environment: EnvironmentName,
  profile: v.picklist(profileNames),
  workspace_id: idOf('workspace'),
  api_key: v.string(),
  webhook_id: v.optional(idOf('webhook')),
  webhook_secret: v.optional(v.string()),
  webhook_previous_url: v.optional(v.string()),
  pid: Count,
  version: v.string(),
  db: v.string(),
  started_at: Timestamp,
  boot_ms: Count,
  max_attempts: Count,
  /** The field of `POST /events` that contains the payload (gap `event.body`). */
  payload_member: v.picklist(['payload', 'data']),
  deliveries: v.object({ pending: Count, in_flight: Count }),
  retention: v.object({
    days: v.nullable(Count),
    requests: v.nullable(Count),
    megabytes: v.nullable(Count),
  }),
  storage_problem: v.optional(
    v.object({
      kind: v.picklist(['removed', 'replaced', 'truncated']),
      message: v.string(),
      hint: v.string(),
    }),
  ),
});

export const ResetResult = v.object({
  ...EmulatorStatus.entries,
  /** The deliveries of the restored state. */
  kept_deliveries: Count,
});

/** Links to everything that the emulator serves. */
export const ControlIndex = v.object({
  ...v.pick(EmulatorStatus, ['version', 'base_url', 'control_url', 'dashboard_url']).entries,
  docs_url: v.string(),
  openapi_url: v.string(),
  operations: v.array(v.object({ method: v.string(), url: v.string(), summary: v.string() })),
});

/** Only the running emulator can check the database, because it has locked it. */
export const Diagnosis = v.object({
  database: v.object({
    size_bytes: Count,
    schema_version: Count,
    newest_schema_version: Count,
    damage: v.array(v.string()),
  }),
});

export const ClockState = v.object({
  workspace_id: idOf('workspace'),
  now: Timestamp,
  /** The effective speed: 0 while frozen. */
  rate: v.number(),
  wall: Timestamp,
  next_due_at: v.nullable(Timestamp),
  /** Only while a request moves the clock. */
  moving: v.optional(v.object({ attempts: Count, canceled: v.boolean() })),
});

export const ClockMove = v.object({
  ...ClockState.entries,
  attempts: v.array(AttemptSummary),
  pending: Count,
  paused: v.array(v.object({ webhook_id: idOf('webhook'), deliveries: Count })),
});

export const SavedSnapshot = v.object({
  path: v.string(),
  size_bytes: Count,
  saved_at: Timestamp,
});

export type ClockMove = v.InferOutput<typeof ClockMove>;
export type ClockState = v.InferOutput<typeof ClockState>;
export type Diagnosis = v.InferOutput<typeof Diagnosis>;
export type ControlIndex = v.InferOutput<typeof ControlIndex>;
export type EmulatorStatus = v.InferOutput<typeof EmulatorStatus>;
export type SavedSnapshot = v.InferOutput<typeof SavedSnapshot>;
