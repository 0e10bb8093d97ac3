/** The columns of each table. Times are schedule time unless the name or a comment says otherwise. */
import type * as v from 'valibot';
import type { Attempt, Delivery } from '../contract/delivery-schemas.ts';
import type { keySettings } from '../contract/resources.ts';
import type { webhookSettings } from '../contract/webhook-settings.ts';
import type { ColumnOf } from './columns.ts';

type Flag = ColumnOf<boolean>;

/** The columns of settings, see `toColumns`. */
type SettingColumns<Entries extends v.ObjectEntries> = {
  readonly [Name in keyof Entries]: ColumnOf<v.InferOutput<Entries[Name]>>;
};

interface Rows {
  readonly workspaces: {
    readonly seq: number;
    readonly id: string;
    readonly name: string;
    readonly created_at: number;
    /** This and the following columns are the state of the clock, see `ScheduleClockState`. */
    readonly clock_at: number;
    readonly clock_wall_at: number;
    readonly clock_speed: number;
    readonly clock_frozen: Flag;
  };
  readonly api_keys: SettingColumns<typeof keySettings> & {
    readonly seq: number;
    readonly id: string;
    readonly workspace_seq: number | null;
    /** SHA-256 digest of the key, which is not stored itself. */
    readonly hash: Buffer;
    readonly last4: string;
    /** Wall time, like `revoked_at`. */
    readonly created_at: number;
    readonly revoked_at: number | null;
  };
  readonly webhooks: SettingColumns<typeof webhookSettings> & {
    readonly seq: number;
    readonly id: string;
    readonly workspace_seq: number;
    readonly secret: string;
    readonly previous_secret: string | null;
    /** Until when the previous secret signs too. */
    readonly previous_secret_expires_at: number | null;
    /** Whether it exists only while a `svc listen` uses it, see `sandbox/listener-endpoint-cleanup.ts`. */
    readonly listener: Flag;
    /** Whether `--forward-to` created it. */
    readonly forward_target: Flag;
    /** The mistake that a probe found, as JSON of `ProbeFinding`. */
    readonly finding: string | null;
    readonly created_at: number;
    readonly deleted_at: number | null;
  };
  readonly events: {
    readonly seq: number;
    readonly id: string;
    readonly workspace_seq: number;
    readonly type: string;
    readonly created_at: number;
    readonly stored_at_wall: number;
    /** JSON. Sent by every delivery. It contains the event record. */
    readonly envelope: string;
  };
  readonly deliveries: Pick<Delivery, 'status' | 'settled_reason'> & {
    readonly seq: number;
    readonly id: string;
    readonly event_seq: number;
    readonly webhook_seq: number;
    readonly workspace_seq: number;
    /** URL and body that replace those of the endpoint and the event; null for the same. */
    readonly own_url: string | null;
    readonly own_body: string | null;
    readonly replay_of_seq: number | null;
    readonly created_at: number;
    readonly settled_at: number | null;
    readonly settled_seq: number | null;
    readonly due_at: number | null;
    readonly first_attempt_at: number | null;
    /** 1 while the retry schedule makes attempts, 0 when only replays do. */
    readonly on_schedule: Flag;
    /** Number of attempts on the retry schedule, with replays that replaced a retry. */
    readonly scheduled_attempts: number;
    readonly attempt_count: number;
    /** Number of requested replays that were not sent yet. */
    readonly replays_waiting: number;
    /** `AppliedFault` of the fault that postponed the delivery, as JSON. */
    readonly fault: string | null;
  };
  readonly attempts: Pick<Attempt, 'trigger' | 'outcome' | 'error'> & {
    readonly seq: number;
    readonly delivery_seq: number;
    readonly webhook_seq: number;
    readonly number: number;
    readonly scheduled_at: number;
    readonly sent_at_wall: number;
    readonly duration_ms: number;
    readonly response_status: number | null;
    readonly request_url: string;
    /** JSON, like `response_headers`. */
    readonly request_headers: string;
    readonly response_headers: string | null;
    readonly response_body: Buffer | null;
    readonly response_truncated: Flag;
    /** `AppliedFault` of the fault that was injected, as JSON. */
    readonly fault: string | null;
    /** Result of `encodePhases`; null if nothing was sent. */
    readonly phases: string | null;
  };
  readonly api_requests: {
    readonly seq: number;
    readonly id: string;
    readonly at_wall: number;
    readonly method: string;
    readonly path: string;
    /** 0 for a dropped connection. */
    readonly status: number;
    readonly error_code: string | null;
    readonly error_message: string | null;
    readonly duration_ms: number;
    readonly user_agent: string | null;
    readonly api_key_seq: number | null;
    readonly workspace_seq: number | null;
    /** Of the resource that the request created, read, changed, deleted or did not find; null for a list. */
    readonly resource_id: string | null;
    /** `AppliedFault` of the fault that was injected, as JSON. */
    readonly fault: string | null;
  };
  /** The headers and the bodies of a request and of its response. The columns of a body that was not read are null. */
  readonly api_request_messages: {
    readonly seq: number;
    readonly request_headers: string;
    readonly request_body: Buffer | null;
    /** Bytes of the whole body. */
    readonly request_size: number | null;
    /** Whether a part of the headers or of the body is missing. */
    readonly request_truncated: Flag;
    readonly response_headers: string | null;
    readonly response_body: string | null;
    readonly response_size: number | null;
    readonly response_truncated: Flag;
  };
  readonly faults: {
    readonly seq: number;
    readonly id: string;
    /** `FaultRule` as JSON. */
    readonly rule: string;
    readonly applied_count: number;
    /** Wall time. */
    readonly created_at: number;
  };
  readonly idempotency_keys: {
    /** SHA-256 digest of the scope of the key, see `sandbox/idempotency.ts`. */
    readonly scope_hash: Buffer;
    /** Sequence of the newest row that the request wrote. */
    readonly seq: number;
    readonly workspace_seq: number;
    readonly body_hash: Buffer;
    /** Status and body of the response. */
    readonly status: number;
    readonly body: string;
    readonly expires_at: number;
  };
}

export type TableName = keyof Rows;

/** A row of a table as `SELECT *` returns it. */
export type Row<Table extends TableName> = Rows[Table];
