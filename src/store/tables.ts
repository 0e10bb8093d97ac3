/** The tables and queries of the store, as properties of {@link Store}. */
import type Database from 'better-sqlite3';
import { ApiKeyTable } from './api-keys.ts';
import { ApiRequestTable } from './api-requests.ts';
import { AttemptTable } from './attempts.ts';
import { ChangeFeed } from './change-feed.ts';
import type { UnpublishedEvent } from './connection.ts';
import { DeliveryTable } from './deliveries.ts';
import { DeliveryQueries } from './delivery-queries.ts';
import { EventTable } from './events.ts';
import { FaultTable } from './faults.ts';
import { IdempotencyTable } from './idempotency.ts';
import { Retention } from './retention.ts';
import { SettingTable } from './settings.ts';
import { WebhookTable } from './webhooks.ts';
import { WorkspaceTable } from './workspaces.ts';

/** `connectTables` replaces every property, so callers must not keep a reference to a table. */
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

  protected connectTables(db: Database.Database, unpublished: UnpublishedEvent): void {
    this.settings = new SettingTable(db);
    this.workspaces = new WorkspaceTable(db);
    this.apiKeys = new ApiKeyTable(db);
    this.webhooks = new WebhookTable(db);
    this.events = new EventTable(db);
    this.deliveries = new DeliveryTable(db, unpublished, this.webhooks);
    this.deliveryQueries = new DeliveryQueries(db);
    this.attempts = new AttemptTable(db);
    this.apiRequests = new ApiRequestTable(db);
    this.faults = new FaultTable(db);
    this.idempotency = new IdempotencyTable(db);
    this.changeFeed = new ChangeFeed(db, unpublished);
    this.retention = new Retention(db, this.settings);
  }

  /** Must be called after a rollback, and after rows were replaced. */
  protected clearCaches(): void {
    this.apiKeys.clearCache();
    this.webhooks.clearCache();
    this.deliveries.clearCache();
  }
}
