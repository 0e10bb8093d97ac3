/** `svc explain`: explains why a delivery failed. */
import { Argument } from 'commander';
import { SvcError } from '../../domain/errors.ts';
import type { CommandDefinition } from '../command.ts';
import { idParser, wholeNumberParser } from '../option-parsers.ts';
import { renderExplanation } from '../render/explanation.ts';
import { printHint } from '../report-error.ts';

interface ExplainOptions {
  readonly id?: string;
  readonly attempt?: number;
  readonly probe?: true;
  readonly steps?: true;
  readonly workspace?: string;
}

export const command: CommandDefinition<ExplainOptions> = {
  configure: (command) =>
    command
      .addArgument(
        new Argument('[id]', 'Delivery, event, endpoint or request ID').default(
          undefined,
          'the delivery that failed last',
        ),
      )
      .optionWithDefault(
        '--attempt <n>',
        'Number of the attempt',
        'the last one',
        wholeNumberParser(1, 1_000_000),
      )
      .option('--probe', 'Sign the delivery with each known mistake, until the receiver accepts one')
      .option(
        '--steps',
        'Also show how a correct receiver verifies the signature, with the correct value of each step',
      )
      .option('--workspace <id>', 'Without an ID: only deliveries in this workspace', idParser('workspace')),
  examples: [
    ['Explain the delivery that failed last', 'explain'],
    ['Explain a delivery', 'explain del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    [
      'Find out which mistake a receiver makes when it verifies signatures',
      'explain del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --probe',
    ],
    ['Compare what your receiver computes with the correct values', 'explain --steps'],
    ['Read the cause and the next commands in a script', 'explain evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --json'],
  ],
  async run({ id = 'latest', attempt, probe, steps, workspace }, context) {
    if (probe && attempt !== undefined) {
      throw new SvcError('usage', '--probe and --attempt cannot be used together.', {
        hint: 'Omit --attempt: a probe sends the delivery as it would be sent now.',
      });
    }
    const control = await context.connect();
    const explanation = await (probe
      ? control.probeDelivery({ id, workspace_id: workspace })
      : control.explainDelivery({ id, attempt, workspace_id: workspace }));
    if (steps && explanation.steps === null) {
      const isLater = (explanation.attempt?.number ?? 0) > 1 && attempt === undefined;
      const other = isLater ? ' Explain another attempt with --attempt 1.' : '';
      printHint(`There are no steps, because the failure is not about the signature.${other}`, context.io);
    }
    context.print(explanation, () => renderExplanation(explanation, steps === true, context.io));
  },
};
