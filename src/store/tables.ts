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
import { SettingTable } from './settings.ts';
import { Table } from './sql.ts';
import { WebhookTable } from './webhooks.ts';
import { WorkspaceTable } from './workspaces.ts';

export class Tables extends Table {
  readonly settings = new SettingTable(this.sql);
  readonly workspaces = new WorkspaceTable(this.sql);
  readonly apiKeys = new ApiKeyTable(this.sql);
  readonly webhooks = new WebhookTable(this.sql);
  readonly events = new EventTable(this.sql);
  readonly deliveries = new DeliveryTable(this.sql);
  readonly deliveryQueries = new DeliveryQueries(this.sql);
  readonly attempts = new AttemptTable(this.sql);
  readonly apiRequests = new ApiRequestTable(this.sql);
  readonly faults = new FaultTable(this.sql);
  readonly idempotency = new IdempotencyTable(this.sql);
  readonly changeFeed = new ChangeFeed(this.sql);
  readonly retention = new Retention(this.sql);

  /** Must be called after a rollback, and after rows were replaced. */
  protected clearCaches(): void {
    this.apiKeys.clearCache();
    this.webhooks.clearCache();
  }
}
