import { indentJson } from '../../../domain/json.ts';
import { eventChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { askChoice } from '../../prompt.ts';

interface Options {
  readonly id?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[id]', 'evt_…'),
  examples: ['events get evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

/** Goes through the public API, so that the key's scopes and workspace count. */
async function run({ id }: Options, context: Context): Promise<void> {
  const wanted = id ?? (await askChoice(context, 'id', eventChoices));
  const { text } = await (await context.api()).getEvent(wanted);
  context.printJsonText(text, () => indentJson(text));
}
