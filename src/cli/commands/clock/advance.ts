import { toDurationMs } from '../../arguments.ts';
import { addClockOptions, type ClockOptions, printClockMove } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';

interface Options extends ClockOptions {
  readonly duration: number;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addClockOptions(command).argument('<duration>', 'how far, such as 5m or 72h', toDurationMs),
  examples: ['clock advance 5m', 'clock advance 72h --json'],
  run: ({ duration: ms, ...options }, context) =>
    printClockMove(options, context, (control, subject) => control.advanceClock({ ...subject, ms })),
};
