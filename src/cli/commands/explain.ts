/** `svc explain`: explains why a delivery failed. */
import type { CommandDefinition } from '../command.ts';
import { wholeNumberParser } from '../option-parsers.ts';
import { renderExplanation } from '../render/explanation.ts';

interface ExplainOptions {
  readonly id?: string;
  readonly attempt?: number;
  readonly workspace?: string;
}

export const command: CommandDefinition<ExplainOptions> = {
  configure: (command) =>
    command
      .argument('[id]', 'Delivery, event, endpoint or request ID (default: the delivery that failed last)')
      .option(
        '--attempt <n>',
        'Number of the attempt (default: the last one)',
        wholeNumberParser(1, 1_000_000),
      )
      .option('--workspace <id>', 'Without an ID: only deliveries in this workspace'),
  examples: [
    ['Explain the delivery that failed last', 'explain'],
    ['Explain a delivery', 'explain del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['Read the cause and the next commands in a script', 'explain evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --json'],
  ],
  async run({ id = 'latest', attempt, workspace }, context) {
    const control = await context.connect();
    const explanation = await control.explainDelivery({ id, attempt, workspace_id: workspace });
    context.print(explanation, () => renderExplanation(explanation, context.io));
  },
};
