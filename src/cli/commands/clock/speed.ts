import { InvalidArgumentError } from 'commander';
import { addClockOptions, type ClockOptions, printClock } from '../../clock-commands.ts';
import type { CommandDefinition } from '../../command.ts';

interface Options extends ClockOptions {
  readonly speed: number;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addClockOptions(command).argument('<speed>', 'schedule seconds per real second, such as 3600', toSpeed),
  examples: ['clock speed 3600', 'clock speed 1'],
  // A clock that stands still stays so: `svc clock resume` lets it go on, at this speed.
  run: ({ speed, ...options }, context) =>
    printClock(options, context, (control, subject) => control.setClock({ ...subject, speed })),
};

function toSpeed(text: string): number {
  const speed = Number(text.replace(/[x×]$/, ''));
  if (!(speed >= 0.001 && speed <= 1_000_000)) {
    throw new InvalidArgumentError(
      'It must be a number from 0.001 to 1000000. To stop the clock: svc clock freeze',
    );
  }
  return speed;
}
