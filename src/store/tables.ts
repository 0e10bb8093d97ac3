/** The tables and queries of the store, as properties of {@link Store}. */
import { ApiKeyTable } from './api-keys.ts';
import { ApiRequestTable } from './api-requests.ts';
import { AttemptTable } from './attempts.ts';
import { ChangeFeed } from './change-feed.ts';
import { DeliveryTable } from './deliveries.ts';
import { DeliveryQueries } from './delivery-queries.ts';
import { EventTable } from './events.ts';
import { FaultTable } from './faults.ts';
import { IdempotencyTable } from './idempotency.ts';
import { Retention } from './retention.ts';
import { SettingTable } from './schema.ts';
import type { Sql } from './sql.ts';
import { WebhookTable } from './webhooks.ts';
import { WorkspaceTable } from './workspaces.ts';

export class Tables {
  settings!: SettingTable;
  workspaces!: WorkspaceTable;
  apiKeys!: ApiKeyTable;
  webhooks!: WebhookTable;
  events!: EventTable;
  deliveries!: DeliveryTable;
  deliveryQueries!: DeliveryQueries;
  attempts!: AttemptTable;
  apiRequests!: ApiRequestTable;
  faults!: FaultTable;
  idempotency!: IdempotencyTable;
  changeFeed!: ChangeFeed;
  retention!: Retention;

  protected connectTables(sql: Sql): void {
    this.settings = new SettingTable(sql);
    this.workspaces = new WorkspaceTable(sql);
    this.apiKeys = new ApiKeyTable(sql);
    this.webhooks = new WebhookTable(sql);
    this.events = new EventTable(sql);
    this.deliveries = new DeliveryTable(sql);
    this.deliveryQueries = new DeliveryQueries(sql);
    this.attempts = new AttemptTable(sql);
    this.apiRequests = new ApiRequestTable(sql);
    this.faults = new FaultTable(sql);
    this.idempotency = new IdempotencyTable(sql);
    this.changeFeed = new ChangeFeed(sql);
    this.retention = new Retention(sql);
  }

  /** Must be called after a rollback, and after rows were replaced. */
  protected clearCaches(): void {
    this.apiKeys.clearCache();
    this.webhooks.clearCache();
  }
}
