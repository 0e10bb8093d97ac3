/** The table of endpoints. */

import { isSubscribedTo } from '../domain/event.ts';
import { endpointDefaults, endpointSettings, Webhook, WebhookDetail } from '../resources/endpoint.ts';
import { createRowReader, toColumns } from './columns.ts';
import { type PageRequest, type RowPage, readPage } from './row-page.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

export type WebhookRow = Row<'webhooks'>;

/** The columns of a new endpoint without settings of its own. */
export const newWebhookColumns = {
  ...toColumns(endpointSettings, endpointDefaults),
  previous_secret: null,
  previous_secret_expires_at: null,
  listener: 0,
  forward_target: 0,
  finding: null,
  deleted_at: null,
} as const satisfies Partial<WebhookRow>;

export type WebhookWithWorkspace = WebhookRow & { readonly workspace_id: string };

type EnabledWebhook = WebhookRow & { readonly subscriptions: readonly string[] };

const SELECT_WITH_WORKSPACE =
  'SELECT h.*, w.id AS workspace_id FROM webhooks h JOIN workspaces w ON w.seq = h.workspace_seq';

export class WebhookTable extends Table {
  /** By the sequence of the workspace, because every event reads them. */
  readonly #enabled = new Map<number, readonly EnabledWebhook[]>();

  insert(row: WebhookRow): void {
    this.clearCache();
    this.sql.insert('webhooks', row);
  }

  /** The endpoint, unless it was deleted. */
  find(id: string): WebhookWithWorkspace | undefined {
    return this.sql.get(`${SELECT_WITH_WORKSPACE} WHERE h.id = ? AND h.deleted_at IS NULL`, [id]);
  }

  /** The endpoints of a workspace with this exact URL, newest first, including deleted ones. */
  listByUrl(workspaceSeq: number, url: string): WebhookWithWorkspace[] {
    return this.sql.all(
      `${SELECT_WITH_WORKSPACE} WHERE h.workspace_seq = ? AND h.url = ? ORDER BY h.seq DESC`,
      [workspaceSeq, url],
    );
  }

  /** The endpoint that `--forward-to` created, unless it was deleted. */
  findForwardTarget(workspaceSeq: number): WebhookWithWorkspace | undefined {
    return this.sql.get(
      `${SELECT_WITH_WORKSPACE} WHERE h.workspace_seq = ? AND h.forward_target = 1 AND h.deleted_at IS NULL
       ORDER BY h.seq DESC`,
      [workspaceSeq],
    );
  }

  /** The endpoints that exist only while a `svc listen` uses them. */
  listListenerIds(): string[] {
    return this.sql.values('SELECT id FROM webhooks WHERE listener = 1 AND deleted_at IS NULL');
  }

  /** The sequence of an endpoint, deleted or not. */
  findSeq(id: string): number | undefined {
    return this.sql.value('SELECT seq FROM webhooks WHERE id = ?', [id]);
  }

  list(workspaceSeq: number | null, page: PageRequest): RowPage<WebhookWithWorkspace> {
    return readPage(page, (before, limit) =>
      this.sql.all<WebhookWithWorkspace>(
        `${SELECT_WITH_WORKSPACE} WHERE h.deleted_at IS NULL AND h.seq < @before
           AND (@workspaceSeq IS NULL OR h.workspace_seq = @workspaceSeq)
         ORDER BY h.seq DESC LIMIT @limit`,
        { before, workspaceSeq, limit },
      ),
    );
  }

  /** The endpoints of a workspace that receive events of `type` (§6), oldest first. */
  listSubscribed(workspaceSeq: number, type: string): WebhookRow[] {
    return this.listEnabled(workspaceSeq).filter(({ subscriptions }) => isSubscribedTo(subscriptions, type));
  }

  /** The enabled endpoints of a workspace, oldest first. */
  listEnabled(workspaceSeq: number): readonly EnabledWebhook[] {
    const cached = this.#enabled.get(workspaceSeq);
    if (cached !== undefined) return cached;
    const rows = this.sql.all<WebhookRow>(
      'SELECT * FROM webhooks WHERE workspace_seq = ? AND deleted_at IS NULL AND disabled = 0 ORDER BY seq',
      [workspaceSeq],
    );
    const enabled = rows.map((row) => ({ ...row, subscriptions: JSON.parse(row.events) }));
    this.#enabled.set(workspaceSeq, enabled);
    return enabled;
  }

  /** Number of endpoints of a workspace, also of disabled ones (gap `webhook.limit`). */
  count(workspaceSeq: number): number {
    return this.sql.value('SELECT count(*) FROM webhooks WHERE workspace_seq = ? AND deleted_at IS NULL', [
      workspaceSeq,
    ]) as number;
  }

  /** The row of an endpoint, deleted or not. */
  findBySeq(seq: number): WebhookRow | undefined {
    return this.sql.get('SELECT * FROM webhooks WHERE seq = ?', [seq]);
  }

  /** The row of an existing endpoint, deleted or not. @throws Error if it does not exist. */
  getBySeq(seq: number): WebhookRow {
    const row = this.findBySeq(seq);
    if (row === undefined) throw new Error(`webhook ${seq} does not exist`);
    return row;
  }

  /** The secrets of the newest thousand endpoints of a workspace, newest first, including deleted ones. */
  listSecrets(workspaceSeq: number): Pick<WebhookRow, 'id' | 'secret' | 'previous_secret' | 'deleted_at'>[] {
    return this.sql.all(
      'SELECT id, secret, previous_secret, deleted_at FROM webhooks WHERE workspace_seq = ? ORDER BY deleted_at IS NOT NULL, seq DESC LIMIT 1000',
      [workspaceSeq],
    );
  }

  update(row: WebhookRow): void {
    this.clearCache();
    this.sql.update('webhooks', row);
  }

  /** Must be called after a change of the rows or a rollback. */
  clearCache(): void {
    this.#enabled.clear();
  }
}

/** The endpoint as `/v1` shows it, without its secret (§2). */
export const toWebhook = createRowReader(Webhook.entries);

export const toWebhookDetail = createRowReader(WebhookDetail.entries);
