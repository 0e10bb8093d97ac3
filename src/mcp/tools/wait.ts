/** The tool `wait`: waits until deliveries have settled. */
import * as v from 'valibot';
import { idOf } from '../../contract/fields.ts';
import { DeliveryFilter } from '../../contract/list-filters.ts';
import { wholeNumber } from '../../validation/value-schemas.ts';
import { defineTool, formatCall } from '../tool.ts';
import { MAX_WAIT_SECONDS, toWaitResult, waitForDeliveries } from '../wait-for-deliveries.ts';

const { workspace_id, event_id, type, webhook_id } = DeliveryFilter;

export const waitTool = defineTool({
  name: 'wait',
  description:
    'Wait until deliveries settle, or nothing more happens within the time. clock sends later retries at once',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('deliveries'),
  input: v.strictObject({
    workspace_id,
    event_id,
    type,
    webhook_id,
    seconds: v.optional(wholeNumber(1, MAX_WAIT_SECONDS), 20),
    cursor: v.optional(
      v.pipe(idOf('delivery'), v.description('From an earlier wait: skips its settled deliveries')),
    ),
  }),
  output: { settled: 'boolean', deliveries: 'array' },
  async run({ seconds, cursor, ...filter }, call) {
    const request = { filter, seconds, cursor };
    return toWaitResult(await waitForDeliveries(request, call), request);
  },
});
