import { addClockOptions, type ClockOptions, moveClock } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';

export const command: CommandDefinition<ClockOptions> = {
  configure: addClockOptions,
  examples: ['clock settle', 'clock settle --json'],
  run: (options, context) => moveClock(options, context, (control, subject) => control.settleClock(subject)),
};
