/** The tool `explain`: why a delivery failed, and what to do. */
import * as v from 'valibot';
import { WorkspaceFilter } from '../../contract/list-filters.ts';
import { wholeNumber } from '../../validation/value-schemas.ts';
import { summarizeExplanation } from '../summarize-explanation.ts';
import { defineTool, formatCall } from '../tool.ts';

const MAX_ATTEMPTS = 1_000_000;

export const explainTool = defineTool({
  name: 'explain',
  description: 'Say why a delivery failed: cause, evidence, signature steps, and remedy',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('deliveries', { status: 'failing' }),
  input: v.strictObject({
    id: v.optional(
      v.pipe(
        v.string(),
        v.description('Delivery, event, endpoint or request; latest: the one that failed last'),
      ),
      'latest',
    ),
    attempt: v.optional(wholeNumber(1, MAX_ATTEMPTS)),
    ...WorkspaceFilter,
  }),
  output: { cause: 'string', detail: 'string', hints: 'array' },
  async run(input, { emulator: { control } }) {
    return summarizeExplanation(await control.explainDelivery(input));
  },
});
