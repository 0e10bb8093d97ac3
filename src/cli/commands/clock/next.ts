import { addClockOptions, type ClockOptions, moveClock } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';

export const command: CommandDefinition<ClockOptions> = {
  configure: addClockOptions,
  examples: ['clock next'],
  run: (options, context) => moveClock(options, context, (control, subject) => control.nextClock(subject)),
};
