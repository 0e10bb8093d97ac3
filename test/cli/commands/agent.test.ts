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

async function runAgent(...args: string[]) {
  const cwd = createTemporaryFolder();
  const { host, capturedOutput } = createFakeHost({ cwd, env: { HOME: cwd } });
  const exitCode = await runCommandLine(['agent', ...args], host);
  return { exitCode, ...capturedOutput, files: readdirSync(cwd) };
}

it('svc agent prints the command or the text for each client and the folder of the skill, and writes no file', async () => {
  const { exitCode, out, files } = await runAgent();
  expect(exitCode).toBe(ExitCode.success);
  expect(out).toContain('Claude Code: run\n\nclaude mcp add svc-emulator -- npx -y svc-emulator mcp\n');
  expect(out).toContain('Codex: run\n\ncodex mcp add svc-emulator -- npx -y svc-emulator mcp\n');
  expect(out).toContain('Cursor: add to .cursor/mcp.json\n\n{\n  "mcpServers": {');
  expect(out).toContain('VS Code: add to .vscode/mcp.json\n\n{\n  "servers": {');
  expect(out.endsWith(`\n\n${skill}\n`)).toBe(true);
  expect(readdirSync(skill)).toContain('SKILL.md');
  expect(files).toEqual([]);
});

it('svc agent --json has a command or a file and its text for each client', async () => {
  const { clients, ...rest } = JSON.parse((await runAgent('--json')).out);
  expect(rest).toEqual({ skill });
  expect(clients.map(({ client, run, file }: Record<string, string>) => [client, run ?? file])).toEqual([
    ['Claude Code', 'claude mcp add svc-emulator -- npx -y svc-emulator mcp'],
    ['Codex', 'codex mcp add svc-emulator -- npx -y svc-emulator mcp'],
    ['Cursor', '.cursor/mcp.json'],
    ['VS Code', '.vscode/mcp.json'],
  ]);
  expect(JSON.parse(clients[2].text)).toEqual({ mcpServers: { 'svc-emulator': server } });
  expect(JSON.parse(clients[3].text)).toEqual({ servers: { 'svc-emulator': server } });
});
