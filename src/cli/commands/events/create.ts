import { indentJson } from '../../../domain/json.ts';
import { eventTypeChoices } from '../../choices/event-type-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addEventOptions, createEventBodyFactory, type EventOptions } from '../../event-options.ts';
import { askChoice } from '../../prompt.ts';

interface Options extends EventOptions {
  readonly type?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => addEventOptions(command.argument('[type]', 'such as order.shipped')),
  examples: [
    'events create order.shipped',
    'events create order.shipped --data \'{"order_id":"ord_1"}\'',
    'events create invoice.paid --data @invoice.json --idempotency-key invoice-7',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<void> {
  const type = options.type ?? (await askChoice(context, 'type', eventTypeChoices));
  const api = await context.api();
  const nextBody = await createEventBodyFactory(type, options, context);
  const { text } = await api.createEvent(nextBody(), options.idempotencyKey);
  context.printJsonText(text, () => indentJson(text));
}
