/** `svc mcp`: serves coding agents over standard input and output. */
import { inspect } from 'node:util';
import type { CommandDefinition } from '../command.ts';
import { FolderEmulator } from '../folder-emulator.ts';

const NOTES = `
The client starts this command, and ends it by closing standard input. Standard output contains only the protocol. The
tools use the emulator of this folder. If none is running, the first call starts one in memory, which stops with this
command. A running emulator serves the same tools over HTTP, at /_svc/mcp.`;

export const command: CommandDefinition<object> = {
  configure: (command) => command.addHelpText('after', NOTES),
  examples: [['Serve the emulator of this folder to a coding agent', 'mcp']],
  async run(_options, context) {
    const { io, signal } = context;
    // The tools work with an emulator that this command can start, and need a protocol library.
    const { serveMcpOverStdio } = await import('../../mcp/serve-stdio.ts');
    const { projectFolder } = await context.resolveConfig();
    const emulator = new FolderEmulator(context);
    try {
      await serveMcpOverStdio({
        ...io.protocol,
        signal,
        projectFolder,
        connect: () => emulator.connect(),
        internalErrorLog: {
          report: (where, error) => io.note(`Internal error in svc (${where}): ${inspect(error)}`),
        },
      });
    } finally {
      await emulator.close();
    }
  },
};
