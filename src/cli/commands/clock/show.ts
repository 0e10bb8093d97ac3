import { addClockOptions, type ClockOptions, printClock } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';

export const command: CommandDefinition<ClockOptions> = {
  configure: addClockOptions,
  examples: ['clock show', 'clock show --json'],
  run: (options, context) => printClock(options, context, (control, subject) => control.getClock(subject)),
};
