import { addClockOptions, type ClockOptions, moveClock } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parseDurationMs } from '../../option-parsers.ts';
import { askText } from '../../prompt.ts';

interface Options extends ClockOptions {
  readonly duration?: number;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addClockOptions(command).argument('[duration]', 'How far, such as 5m or 72h', parseDurationMs),
  examples: ['clock advance 5m', 'clock advance 72h --json'],
  run,
};

async function run({ duration, ...options }: Options, context: Context): Promise<void> {
  const ms = duration ?? (await askText(context, 'duration', parseDurationMs));
  return moveClock(options, context, (control, subject) => control.advanceClock({ ...subject, ms }));
}
