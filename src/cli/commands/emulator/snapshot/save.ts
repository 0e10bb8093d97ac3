import { resolve } from 'node:path';
import type { CommandDefinition } from '../../../command.ts';
import type { Context } from '../../../context.ts';
import { formatSize } from '../../../render/size.ts';

interface Options {
  readonly file: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command.argument('<file>', 'where the emulator writes it, on its machine; an older snapshot is replaced'),
  examples: ['emulator snapshot save state.svc'],
  run,
};

async function run({ file }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const saved = await control.saveSnapshot({ path: resolve(context.cwd, file) });
  context.print(saved, () => `${saved.path} holds everything, in ${formatSize(saved.size_bytes)}.`);
}
