/** The table of deliveries, which is also the queue of due attempts. */
import { BODY_COLUMNS, toBody } from './event-values.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

/** The other columns of a new row have defaults. */
export type NewDelivery = Pick<
  Row<'deliveries'>,
  'seq' | 'id' | 'event_seq' | 'webhook_seq' | 'workspace_seq' | 'created_at'
> & { readonly due_at: number; readonly own_body?: string | null };

/** A replay as a new delivery of the same event to the same endpoint. */
type DeliveryCopy = Pick<Row<'deliveries'>, 'seq' | 'id' | 'created_at' | 'own_url' | 'own_body'> & {
  readonly replay_of_seq: number;
};

/** The progress of a delivery. Times are schedule time. */
export type DeliveryProgressRow = Pick<Row<'deliveries'>, (typeof PROGRESS_COLUMNS)[number]>;

const PROGRESS_COLUMNS = [
  'seq',
  'status',
  'webhook_seq',
  'workspace_seq',
  'due_at',
  'first_attempt_at',
  'on_schedule',
  'scheduled_attempts',
  'attempt_count',
  'replays_waiting',
] as const;

const SENDABLE_COLUMNS = [
  'seq',
  'id',
  'webhook_seq',
  'due_at',
  'first_attempt_at',
  'attempt_count',
  'replays_waiting',
  'fault',
] as const;

// Every attempt runs both, so their texts are built once.
const SELECT_PROGRESS = `SELECT ${PROGRESS_COLUMNS} FROM deliveries WHERE seq = ?`;
const SELECT_SENDABLE = `SELECT ${SENDABLE_COLUMNS.map((name) => `d.${name}`)}, coalesce(d.own_url, h.url) AS url,
    ${BODY_COLUMNS}, h.secret, h.previous_secret, h.previous_secret_expires_at,
    iif(d.own_url IS NULL, h.headers, '{}') AS headers, iif(d.own_url IS NULL, h.skip_verify, 0) AS skip_verify
  FROM deliveries d JOIN events e ON e.seq = d.event_seq JOIN webhooks h ON h.seq = d.webhook_seq
    JOIN workspaces w ON w.seq = d.workspace_seq
  WHERE d.seq = ? AND d.due_at IS NOT NULL`;

/** End of the retry window, which starts at the first attempt, or at the creation if there was none. */
const EXPIRES_AT = 'coalesce(d.first_attempt_at, d.created_at) + @window_ms';
/** Paused: pending at a disabled endpoint, without a waiting replay, and without an attempt that has started. */
const FROM_PAUSED = `FROM webhooks h CROSS JOIN deliveries d ON d.webhook_seq = h.seq
  WHERE h.workspace_seq = @workspace AND h.deleted_at IS NULL AND h.disabled = 1 AND d.due_at IS NOT NULL
    AND d.replays_waiting = 0 AND d.seq NOT IN (SELECT value FROM json_each(@started))`;

/** What an attempt needs of its delivery, event and endpoint. */
export interface SendableDelivery
  extends Pick<Row<'deliveries'>, (typeof SENDABLE_COLUMNS)[number]>,
    Pick<
      Row<'webhooks'>,
      'url' | 'secret' | 'previous_secret' | 'previous_secret_expires_at' | 'headers' | 'skip_verify'
    > {
  readonly body: string;
  readonly event_type: string;
  readonly due_at: number;
}

/** The state of a delivery after an attempt or a command. */
export type DeliveryUpdate = Omit<DeliveryProgressRow, 'webhook_seq' | 'workspace_seq'> &
  Pick<Row<'deliveries'>, 'settled_at' | 'settled_reason'>;

export class DeliveryTable extends Table {
  insert(row: NewDelivery): void {
    const { seq, id, event_seq, webhook_seq, workspace_seq, own_body = null, created_at, due_at } = row;
    this.sql.run(
      `INSERT INTO deliveries (seq, id, event_seq, webhook_seq, workspace_seq, own_body, created_at, status, due_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
      [seq, id, event_seq, webhook_seq, workspace_seq, own_body, created_at, due_at],
    );
  }

  insertCopy(copy: DeliveryCopy): void {
    this.sql.run(
      `INSERT INTO deliveries (seq, id, event_seq, webhook_seq, workspace_seq, own_url, own_body, replay_of_seq,
         created_at, status, due_at)
       SELECT @seq, @id, event_seq, webhook_seq, workspace_seq, coalesce(@own_url, own_url), coalesce(@own_body, own_body),
         seq, @created_at, 'pending', @created_at
       FROM deliveries WHERE seq = @replay_of_seq`,
      copy,
    );
  }

  /** The current values for an attempt; undefined if the delivery is no longer due. */
  findSendable(seq: number): SendableDelivery | undefined {
    const row = this.sql.get<Omit<SendableDelivery, 'body'> & { own_body: string | null }>(SELECT_SENDABLE, [
      seq,
    ]);
    return row && Object.assign(row, { body: toBody(row) });
  }

  getProgress(seq: number): DeliveryProgressRow {
    const row = this.sql.get<DeliveryProgressRow>(SELECT_PROGRESS, [seq]);
    if (row === undefined) throw new Error(`delivery ${seq} does not exist`);
    return row;
  }

  /** The first `limit` deliveries of an endpoint that are due at `now` (schedule time), earliest first; none while it is disabled. */
  listDue(webhookSeq: number, now: number, limit: number): number[] {
    return this.sql.values(
      `SELECT d.seq FROM webhooks h CROSS JOIN deliveries d ON d.webhook_seq = h.seq
       WHERE h.seq = ? AND h.disabled = 0 AND d.due_at <= ? ORDER BY d.due_at, d.seq LIMIT ?`,
      [webhookSeq, now, limit],
    );
  }

  /** The enabled endpoints of a workspace with a delivery that is due at `now` (schedule time). */
  listDueEndpoints(workspaceSeq: number, now: number): number[] {
    return this.sql.values(
      `SELECT seq FROM webhooks h WHERE workspace_seq = ? AND deleted_at IS NULL AND disabled = 0
         AND EXISTS (SELECT 1 FROM deliveries WHERE webhook_seq = h.seq AND due_at <= ?) ORDER BY seq`,
      [workspaceSeq, now],
    );
  }

  /** Schedule time after `now` at which the next delivery to an enabled endpoint of a workspace is due; null without one. */
  findNextDueAt(workspaceSeq: number, now: number): number | null {
    return (
      this.sql.value(
        `SELECT min((SELECT min(due_at) FROM deliveries WHERE webhook_seq = h.seq AND due_at > ?))
         FROM webhooks h WHERE workspace_seq = ? AND deleted_at IS NULL AND disabled = 0`,
        [now, workspaceSeq],
      ) ?? null
    );
  }

  update(row: DeliveryUpdate): void {
    const { seq, status, due_at, settled_at, settled_reason, first_attempt_at } = row;
    const { on_schedule, scheduled_attempts, attempt_count, replays_waiting } = row;
    const progress = [first_attempt_at, on_schedule, scheduled_attempts, attempt_count, replays_waiting];
    this.sql.run(
      `UPDATE deliveries SET status = ?, due_at = ?, settled_at = ?, settled_reason = ?, first_attempt_at = ?,
         on_schedule = ?, scheduled_attempts = ?, attempt_count = ?, replays_waiting = ?, fault = NULL WHERE seq = ?`,
      [status, due_at, settled_at, settled_reason, ...progress, seq],
    );
  }

  incrementAttemptCount(seq: number): void {
    this.sql.run('UPDATE deliveries SET attempt_count = attempt_count + 1 WHERE seq = ?', [seq]);
  }

  /**
   * Fails a delivery after its retry window has elapsed, unless it was canceled meanwhile or a replay waits.
   * @param at schedule time at which it settles.
   * @param settledSeq sequence of this change.
   */
  expire(seq: number, at: number, settledSeq: number): void {
    this.sql.run(
      `UPDATE deliveries SET status = 'failed', settled_reason = 'window_elapsed', settled_at = ?, settled_seq = ?,
         due_at = NULL, on_schedule = 0 WHERE seq = ? AND status = 'pending' AND replays_waiting = 0`,
      [at, settledSeq, seq],
    );
  }

  /** Makes one more attempt due at `at`. A pending retry is dropped. */
  requestReplay(seq: number, at: number): void {
    this.sql.run(
      `UPDATE deliveries SET status = 'pending', due_at = ?, settled_at = NULL, settled_reason = NULL,
         replays_waiting = replays_waiting + 1, fault = NULL WHERE seq = ?`,
      [at, seq],
    );
  }

  /** Postpones the next attempt of a delivery once. @param fault `AppliedFault` of the reason, as JSON. */
  postpone(seq: number, dueAt: number, fault: string): void {
    this.sql.run(
      'UPDATE deliveries SET due_at = ?, fault = ? WHERE seq = ? AND due_at IS NOT NULL AND fault IS NULL',
      [dueAt, fault, seq],
    );
  }

  releaseReordered(webhookSeq: number, now: number): void {
    this.sql.run(
      `UPDATE deliveries SET due_at = @now WHERE webhook_seq = @webhook AND due_at > @now AND fault ->> 'kind' = 'reorder'`,
      { webhook: webhookSeq, now },
    );
  }

  /**
   * Cancels the pending deliveries of an endpoint. Each cancellation takes the next sequence after `lastUsedSeq`.
   * @returns the number of deliveries.
   */
  cancelPending(webhookSeq: number, settledAt: number, lastUsedSeq: number): number {
    const values = { webhook_seq: webhookSeq, settled_at: settledAt, last_used_seq: lastUsedSeq };
    return this.sql.run(
      `UPDATE deliveries SET status = 'canceled', due_at = NULL, settled_at = @settled_at,
         settled_seq = @last_used_seq + numbered.rank, settled_reason = 'endpoint_deleted', on_schedule = 0, replays_waiting = 0
       FROM (SELECT seq AS pending_seq, row_number() OVER (ORDER BY seq) AS rank FROM deliveries
             WHERE webhook_seq = @webhook_seq AND due_at IS NOT NULL) AS numbered
       WHERE seq = numbered.pending_seq`,
      values,
    ).changes;
  }

  countAll(): number {
    return this.sql.value('SELECT count(*) FROM deliveries') as number;
  }

  countPending(workspaceSeq: number | null = null): number {
    return this.sql.value(
      // CROSS JOIN makes SQLite start with the endpoints, so that it reads only the index of deliveries.
      `SELECT count(*) FROM webhooks h CROSS JOIN deliveries d ON d.webhook_seq = h.seq
       WHERE d.due_at IS NOT NULL AND (@workspace IS NULL OR h.workspace_seq = @workspace)`,
      { workspace: workspaceSeq },
    ) as number;
  }

  /** Schedule time at which the retry window of the first paused delivery in a workspace ends; `Infinity` without one. */
  findExpiry(workspace: number, windowMs: number, startedSeqs: readonly number[]): number {
    const values = { workspace, window_ms: windowMs, started: JSON.stringify(startedSeqs) };
    return this.sql.value(`SELECT min(${EXPIRES_AT}) ${FROM_PAUSED}`, values) ?? Number.POSITIVE_INFINITY;
  }

  /** The paused deliveries in a workspace whose retry window ended at or before `now`. */
  listExpired(
    workspace: number,
    windowMs: number,
    startedSeqs: readonly number[],
    now: number,
  ): { seq: number; expires_at: number }[] {
    const values = { workspace, window_ms: windowMs, started: JSON.stringify(startedSeqs), now };
    return this.sql.all(
      `SELECT d.seq, ${EXPIRES_AT} AS expires_at ${FROM_PAUSED} AND ${EXPIRES_AT} <= @now ORDER BY d.seq`,
      values,
    );
  }

  /** Number of pending deliveries of each disabled endpoint of a workspace. */
  countPaused(workspaceSeq: number): { webhook_id: string; deliveries: number }[] {
    return this.sql.all(
      `SELECT h.id AS webhook_id, count(*) AS deliveries FROM webhooks h JOIN deliveries d ON d.webhook_seq = h.seq
       WHERE h.workspace_seq = ? AND h.disabled = 1 AND h.deleted_at IS NULL AND d.due_at IS NOT NULL
       GROUP BY h.seq ORDER BY h.seq`,
      [workspaceSeq],
    );
  }
}
