/** The emulator itself: what runs, its clocks, its database and its snapshots. */
import * as v from 'valibot';
import { profileNames } from '../profile/rules.ts';
import { AttemptSummary } from './delivery-schemas.ts';
import { Count, idOf, Timestamp } from './fields.ts';
import { EnvironmentName } from './resources.ts';

export const EmulatorStatus = v.object({
  url: v.string(),
  base_url: v.string(),
  control_url: v.string(),
  /** A link that opens it, the token included. */
  dashboard_url: v.string(),
  /** What the control plane asks for where other machines can reach it. */
  control_token: v.optional(v.string()),
  environment: EnvironmentName,
  profile: v.picklist(profileNames),
  workspace_id: idOf('workspace'),
  api_key: v.string(),
  webhook_id: v.optional(idOf('webhook')),
  webhook_secret: v.optional(v.string()),
  pid: Count,
  version: v.string(),
  /** Path of the database file, or `:memory:`. */
  db: v.string(),
  started_at: Timestamp,
  /** From the start to the first request that could be answered. */
  boot_ms: Count,
  /** Attempts that the retry schedule has for a delivery that always fails. */
  max_attempts: Count,
  /** The member of `POST /events` that carries the payload (decision `event.body`). */
  payload_member: v.picklist(['payload', 'data']),
  deliveries: v.object({ pending: Count, in_flight: Count }),
  /** What is kept at most, null for everything. What is pending is always kept. */
  retention: v.object({
    days: v.nullable(Count),
    requests: v.nullable(Count),
    megabytes: v.nullable(Count),
  }),
  /** What happened to the database file while it is in use; absent while it is in its place. Writes are refused until then. */
  storage_problem: v.optional(
    v.object({
      kind: v.picklist(['removed', 'replaced', 'truncated']),
      message: v.string(),
      hint: v.string(),
    }),
  ),
});

/** What the running emulator finds out about itself that nobody else can: it has the database to itself. */
export const Diagnosis = v.object({
  database: v.object({
    size_bytes: Count,
    schema_version: Count,
    newest_schema_version: Count,
    /** What SQLite finds damaged; empty when it is sound. */
    damage: v.array(v.string()),
  }),
});

/** The schedule clock of a workspace. */
export const ClockState = v.object({
  workspace_id: idOf('workspace'),
  /** Schedule time. */
  now: Timestamp,
  /** Schedule seconds per real second; 0 while frozen. */
  rate: v.number(),
  /** Wall time. */
  wall: Timestamp,
  /** Schedule time at which the next delivery is due; null when none is planned. */
  next_due_at: v.nullable(Timestamp),
  /** While a command moves the clock: how many attempts it has caused so far. */
  moving: v.optional(v.object({ attempts: Count })),
});

/** What moving the clock caused. */
export const ClockMove = v.object({
  ...ClockState.entries,
  attempts: v.array(AttemptSummary),
  /** Deliveries that are still pending. */
  pending: Count,
  /** Those of them that were left out because their endpoint is disabled. */
  paused: v.array(v.object({ webhook_id: idOf('webhook'), deliveries: Count })),
});

export const SavedSnapshot = v.object({
  path: v.string(),
  size_bytes: Count,
  /** Wall time of what it holds. */
  saved_at: Timestamp,
});

export type ClockMove = v.InferOutput<typeof ClockMove>;
export type ClockState = v.InferOutput<typeof ClockState>;
export type Diagnosis = v.InferOutput<typeof Diagnosis>;
export type EmulatorStatus = v.InferOutput<typeof EmulatorStatus>;
export type SavedSnapshot = v.InferOutput<typeof SavedSnapshot>;
