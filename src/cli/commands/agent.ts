/** `svc agent`: connects coding agents to svc. */
import { InvalidArgumentError } from 'commander';
import { ExitCode, SvcError } from '../../errors.ts';
import {
  type AgentClient,
  agentClients,
  findClients,
  listAgentFiles,
  toFolders,
} from '../agent/agent-clients.ts';
import { applyChanges, readOptionalFile, renderChange } from '../agent/file-changes.ts';
import type { CommandDefinition } from '../command.ts';
import { confirm, isInteractive } from '../prompt.ts';

interface SetupOptions {
  readonly client?: readonly AgentClient[];
  readonly check?: true;
  readonly remove?: true;
  readonly yes?: true;
}

const NOTES = `
Files with the entry: .mcp.json and .claude/skills/svc (Claude Code), .cursor/mcp.json (Cursor), .vscode/mcp.json (VS Code),
.codex/config.toml in the project if the folder .codex exists, otherwise in the home folder (Codex). Other entries and comments stay.`;

export const setup: CommandDefinition<SetupOptions> = {
  configure: (command) =>
    command
      .option(
        '--client <names>',
        `Clients to set up, separated by commas (choices: ${agentClients.join(', ')}) (default: all that are found)`,
        parseClients,
      )
      .option('--check', 'Write nothing; exit with code 1 if an entry is missing or outdated')
      .option('--remove', 'Remove what this command has written')
      .option('--yes', 'Write without asking for confirmation')
      .addHelpText('after', NOTES),
  examples: [
    ['Connect the coding agents of this project to svc', 'agent setup'],
    ['Write the files of one client without confirmation', 'agent setup --client claude-code --yes'],
    ['Check in CI that the files are up to date', 'agent setup --client claude-code --check'],
    ['Remove the entries', 'agent setup --remove'],
  ],
  async run({ client, check, remove, yes }, context) {
    if (check && (remove || yes)) {
      throw new SvcError('usage', `--check and ${remove ? '--remove' : '--yes'} cannot be used together.`, {
        hint: 'Remove one of them.',
      });
    }
    const folders = toFolders((await context.resolveConfig()).projectFolder, context.env);
    const clients = client ?? findClients(folders);
    if (clients.length === 0) {
      throw new SvcError('usage', 'No coding agent was found in this project or in your home folder.', {
        hint: `Name one of ${agentClients.join(', ')}: svc agent setup --client claude-code`,
      });
    }
    const files = clients
      .flatMap((name) => listAgentFiles(name, folders))
      .map(({ client: name, path, write, remove: removeFrom }) => {
        const before = readOptionalFile(path);
        return { client: name, path, before, after: remove ? removeFrom(before) : write(before) };
      });
    const changes = files.filter(({ before, after }) => before !== after);
    const toResult = (written: boolean) => ({
      written,
      files: files.map(({ client: name, path, before, after }) => ({
        client: name,
        path,
        status: before === after ? 'current' : before === '' ? 'missing' : 'outdated',
        text: after,
      })),
    });
    const describe = () =>
      changes.length === 0
        ? `Nothing to ${remove ? 'remove' : 'write'} for ${clients.join(', ')}.`
        : changes.map((change) => renderChange(change, context.io)).join('\n\n');
    if (check || changes.length === 0) {
      context.print(toResult(false), describe);
      return changes.length === 0 ? ExitCode.success : ExitCode.failure;
    }
    if (!yes && !isInteractive(context)) {
      context.print(toResult(false), describe);
      throw new SvcError(
        'usage',
        'Nothing was written, because there is no terminal to ask for confirmation.',
        {
          hint: `Write these changes with: svc agent setup --client ${clients.join(',')}${remove ? ' --remove' : ''} --yes`,
        },
      );
    }
    if (!context.json) context.io.write(describe());
    await confirm(
      context,
      `Write ${changes.length === 1 ? 'this change' : `these ${changes.length} changes`}?`,
      yes,
    );
    applyChanges(changes);
    if (context.json) context.print(toResult(true), () => '');
    else context.io.note(remove ? 'Removed.' : 'Written. Restart the client, or reload its MCP servers.');
    return ExitCode.success;
  },
};

function parseClients(text: string): AgentClient[] {
  const names = text.split(',');
  const clients = agentClients.filter((client) => names.includes(client));
  if (clients.length < new Set(names).size) {
    throw new InvalidArgumentError(`Choose from: ${agentClients.join(', ')}`);
  }
  return clients;
}
