import { toDurationMs } from '../../arguments.ts';
import { addClockOptions, type ClockOptions, printClockMove } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { askText } from '../../prompt.ts';

interface Options extends ClockOptions {
  readonly duration?: number;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addClockOptions(command).argument('[duration]', 'How far, such as 5m or 72h', toDurationMs),
  examples: ['clock advance 5m', 'clock advance 72h --json'],
  run,
};

async function run({ duration, ...options }: Options, context: Context): Promise<void> {
  const ms = duration ?? (await askText(context, 'duration', toDurationMs));
  return printClockMove(options, context, (control, subject) => control.advanceClock({ ...subject, ms }));
}
