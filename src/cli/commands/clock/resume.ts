import { addClockOptions, type ClockOptions, printClock } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';

export const command: CommandDefinition<ClockOptions> = {
  configure: addClockOptions,
  examples: ['clock resume'],
  run: (options, context) =>
    printClock(options, context, (control, subject) => control.setClock({ ...subject, frozen: false })),
};
