import { deliveryChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { askChoice } from '../../prompt.ts';
import { renderDelivery } from '../../render/delivery-detail.ts';
import { fetchScheduleTimes } from '../../schedule-time.ts';

interface Options {
  readonly id?: string;
  readonly pager?: boolean;
}

const PAGER_HELP = `

In a terminal, text that is longer than the screen is shown in the pager of SVC_PAGER or PAGER (default: less).`;

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('[id]', 'del_…')
      .option('--no-pager', 'Print the text also where it is longer than the terminal')
      .addHelpText('after', PAGER_HELP),
  examples: ['deliveries get del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id, pager = true }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const delivery = await control.getDelivery({ id: id ?? (await askChoice(context, 'id', deliveryChoices)) });
  const now = await fetchScheduleTimes([delivery], control, context);
  await context.printLong(delivery, () => renderDelivery(delivery, now(delivery), context), pager);
}
