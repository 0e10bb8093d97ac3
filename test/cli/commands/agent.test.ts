import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/program.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import { findPackageFolder } from '../../../src/platform/package-files.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createFakeHost } from '../fake-context.ts';

const server = { command: 'npx', args: ['-y', 'svc-emulator', 'mcp'] };
const skill = join(String(findPackageFolder()), 'skills', 'svc');

it('svc agent --json has a command or a file and its text for each client, and the folder of the skill, and writes no file', async () => {
  const cwd = createTemporaryFolder();
  const { host, capturedOutput } = createFakeHost({ cwd, env: { HOME: cwd } });
  expect(await runCommandLine(['agent', '--json'], host)).toBe(ExitCode.success);
  expect(readdirSync(cwd)).toEqual([]);
  const { clients, ...rest } = JSON.parse(capturedOutput.out);
  expect(rest).toEqual({ skill });
  expect(readdirSync(skill)).toContain('SKILL.md');
  expect(clients.map(({ client, run, file }: Record<string, string>) => [client, run ?? file])).toEqual([
    ['Claude Code', 'claude mcp add svc-emulator -- npx -y svc-emulator mcp'],
    ['Codex', 'codex mcp add svc-emulator -- npx -y svc-emulator mcp'],
    ['Cursor', '.cursor/mcp.json'],
    ['VS Code', '.vscode/mcp.json'],
  ]);
  expect(JSON.parse(clients[2].text)).toEqual({ mcpServers: { 'svc-emulator': server } });
  expect(JSON.parse(clients[3].text)).toEqual({ servers: { 'svc-emulator': server } });
});
