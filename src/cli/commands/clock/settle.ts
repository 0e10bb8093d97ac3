import { addClockOptions, type ClockOptions, printClockMove } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';

export const command: CommandDefinition<ClockOptions> = {
  configure: addClockOptions,
  examples: ['clock settle', 'clock settle --json'],
  run: (options, context) =>
    printClockMove(options, context, (control, subject) => control.settleClock(subject)),
};
