/** `svc agent`: prints what connects coding agents to svc. It reads and writes no file of other programs. */
import { join } from 'node:path';
import { quoteForShell } from '../../domain/shell.ts';
import { executable, findPackageFolder, getProgramCommand } from '../../platform/package-files.ts';
import { defineCommand } from '../define-command.ts';
import { styleFor } from '../render/style.ts';

const SERVER_NAME = 'svc-emulator';

/** How to add the server to a client: a command to run, or text for a file in the project. */
type AgentClient = { readonly client: string } & (
  | { readonly run: string }
  | { readonly file: string; readonly text: string }
);

export const command = defineCommand({
  examples: [['Show how to add the MCP server and the skill to each client', 'agent']],
  async run(_, context) {
    const clients = listClients();
    const packageFolder = findPackageFolder();
    const skill = packageFolder === null ? null : join(packageFolder, 'skills', 'svc');
    const { bold } = styleFor(context.io);
    context.print({ clients, skill }, () =>
      [
        ...clients.map((entry) =>
          'run' in entry
            ? `${bold(entry.client)}: run\n\n${entry.run}`
            : `${bold(entry.client)}: add to ${entry.file}\n\n${entry.text}`,
        ),
        skill === null
          ? `${bold('Skill')}: skills/svc in the npm package svc-emulator`
          : `${bold('Skill')}: copy this folder, for Claude Code to .claude/skills/svc\n\n${skill}`,
      ].join('\n\n'),
    );
  },
});

function listClients(): AgentClient[] {
  // `npx` uses the version that the project has installed, or downloads the newest one.
  const server = executable
    ? { command: getProgramCommand()[0], args: ['mcp'] }
    : { command: 'npx', args: ['-y', 'svc-emulator', 'mcp'] };
  const words = [server.command, ...server.args].map(quoteForShell).join(' ');
  const toJson = (section: string) => JSON.stringify({ [section]: { [SERVER_NAME]: server } }, null, 2);
  return [
    { client: 'Claude Code', run: `claude mcp add ${SERVER_NAME} -- ${words}` },
    { client: 'Codex', run: `codex mcp add ${SERVER_NAME} -- ${words}` },
    { client: 'Cursor', file: '.cursor/mcp.json', text: toJson('mcpServers') },
    { client: 'VS Code', file: '.vscode/mcp.json', text: toJson('servers') },
  ];
}
