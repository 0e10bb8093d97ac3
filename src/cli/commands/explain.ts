/** `svc explain`: explains why a delivery failed. */
import { defineCommand } from '../define-command.ts';
import { wholeNumberParser } from '../option-parsers.ts';
import { withProgress } from '../progress.ts';
import { renderExplanation } from '../render/explanation.ts';
import { printHint } from '../report-error.ts';

export const command = defineCommand({
  options: {
    id: {
      argument: '[id]',
      summary: 'Delivery, event, endpoint or request ID',
      defaultText: 'the delivery that failed last',
    },
    attempt: {
      option: '--attempt <n>',
      summary: 'Number of the attempt',
      parse: wholeNumberParser(1, 1_000_000),
      defaultText: 'the last one',
    },
    probe: {
      option: '--probe',
      summary: 'Sign the delivery with each known mistake, until the receiver accepts one',
      conflicts: ['attempt'],
    },
    steps: {
      option: '--steps',
      summary: 'Also show how a correct receiver verifies the signature, with the correct value of each step',
    },
    workspace: {
      option: '--workspace <id>',
      summary: 'Without an ID: only deliveries in this workspace',
      idKind: 'workspace',
    },
  },
  examples: [
    ['Explain the delivery that failed last', 'explain'],
    ['Explain a delivery', 'explain del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    [
      'Find out which mistake a receiver makes when it verifies signatures',
      'explain del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --probe',
    ],
    ['Compare what your receiver computes with the correct values', 'explain --steps'],
  ],
  async run({ id = 'latest', attempt, probe, steps, workspace }, context) {
    const control = await context.connect();
    const explanation = probe
      ? await withProgress(
          context,
          async () => 'Sending the signatures of known mistakes…',
          control.probeDelivery({ id, workspace_id: workspace }),
        )
      : await control.explainDelivery({ id, attempt, workspace_id: workspace });
    if (steps && explanation.steps === null) {
      const isLater = (explanation.attempt?.number ?? 0) > 1 && attempt === undefined;
      const other = isLater ? ' Explain another attempt with --attempt 1.' : '';
      printHint(`There are no steps, because the failure is not about the signature.${other}`, context.io);
    }
    context.print(explanation, () => renderExplanation(explanation, steps === true, context.io));
  },
});
