import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, vi } from 'vitest';
import { runCommandLine } from '../../../src/cli/program.ts';
import { ExitCode } from '../../../src/errors.ts';
import { getPackageFolder } from '../../../src/package-files.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createFakeHost, type FakeOptions } from '../fake-context.ts';

const ALL = 'claude-code,cursor,codex,vscode';
const codexTable = '[mcp_servers.svc-emulator]\ncommand = "npx"\nargs = ["-y", "svc-emulator", "mcp"]\n';

/** A project and a home folder with files. Names that start with `~/` are in the home folder. */
function createProject(files: Readonly<Record<string, string>> = {}) {
  const [cwd, home] = [createTemporaryFolder(), createTemporaryFolder()];
  const toPath = (name: string) => (name.startsWith('~/') ? join(home, name.slice(2)) : join(cwd, name));
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(toPath(name)), { recursive: true });
    writeFileSync(toPath(name), text);
  }
  const listFiles = () =>
    [cwd, home].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory() && entry.name !== 'package.json')
        .map(({ name }) => name),
    );
  return {
    cwd,
    toPath,
    listFiles,
    read: (name: string) => readFileSync(toPath(name), 'utf8'),
    setup: async (args: string, options: FakeOptions = {}) => {
      const { host, capturedOutput } = createFakeHost({ cwd, env: { HOME: home }, ...options });
      const exitCode = await runCommandLine(['agent', 'setup', ...args.split(' ').filter(Boolean)], host);
      return { exitCode, ...capturedOutput };
    },
  };
}

it('svc agent setup writes the files of each client, a second run changes nothing, and --remove deletes them', async () => {
  const project = createProject();
  expect((await project.setup(`--client ${ALL} --check`)).exitCode).toBe(ExitCode.failure);
  expect(project.listFiles()).toEqual([]);
  expect((await project.setup(`--client ${ALL} --yes`)).exitCode).toBe(ExitCode.success);
  const server = { command: 'npx', args: ['-y', 'svc-emulator', 'mcp'] };
  expect(JSON.parse(project.read('.mcp.json'))).toEqual({ mcpServers: { 'svc-emulator': server } });
  expect(project.read('.cursor/mcp.json')).toBe(project.read('.mcp.json'));
  expect(JSON.parse(project.read('.vscode/mcp.json'))).toEqual({
    servers: { 'svc-emulator': { type: 'stdio', ...server } },
  });
  expect(project.read('~/.codex/config.toml')).toBe(codexTable);
  const skill = readFileSync(join(getPackageFolder(), 'skills/svc/SKILL.md'), 'utf8');
  expect(project.read('.claude/skills/svc/SKILL.md')).toBe(skill);
  expect(await project.setup(`--client ${ALL} --check`)).toMatchObject({
    exitCode: ExitCode.success,
    out: 'Nothing to write for claude-code, cursor, codex, vscode.\n',
  });
  await project.setup(`--client ${ALL} --remove --yes`);
  expect(project.listFiles()).toEqual([]);
  expect(existsSync(project.toPath('.claude/skills/svc'))).toBe(false);
});

const vscode = `{
  // Servers of the team
  "servers": {
    "db": { "command": "db-mcp" }, // read-only
  },
}
`;
const codex = `model = "o4"
notes = """
[mcp_servers.svc-emulator]
"""

# The database
[mcp_servers.db]
command = "db-mcp"
`;

it('other entries, fields and comments stay, and --remove restores the files', async () => {
  const project = createProject({ '.vscode/mcp.json': vscode, '.codex/config.toml': codex });
  await project.setup('--client vscode,codex --yes');
  expect(project.read('.vscode/mcp.json')).toContain('// Servers of the team');
  expect(project.read('.vscode/mcp.json')).toContain('"svc-emulator": {');
  expect(project.read('.codex/config.toml')).toBe(`${codex}\n${codexTable}`);
  await project.setup('--client vscode,codex --remove --yes');
  expect(project.read('.vscode/mcp.json')).toBe(vscode);
  expect(project.read('.codex/config.toml')).toBe(codex);
});

it('an outdated entry is updated, and keeps the fields that the user added', async () => {
  const old = { command: 'svc', args: ['mcp'], env: { SVC_URL: 'x' } };
  const project = createProject({
    '.mcp.json': JSON.stringify({ mcpServers: { 'svc-emulator': old } }),
    '.codex/config.toml':
      '[mcp_servers.svc-emulator]\nargs = [\n  "mcp",\n]\ncommand = "svc"\nenv = { A = "b" }\n\n# Next\n[tui]\n',
  });
  expect((await project.setup('--client claude-code,codex --check')).exitCode).toBe(ExitCode.failure);
  await project.setup('--client claude-code,codex --yes');
  expect(JSON.parse(project.read('.mcp.json')).mcpServers['svc-emulator']).toEqual({
    ...old,
    command: 'npx',
    args: ['-y', 'svc-emulator', 'mcp'],
  });
  expect(project.read('.codex/config.toml')).toBe(`${codexTable}env = { A = "b" }\n\n# Next\n[tui]\n`);
});

it.each([
  [
    '.cursor/mcp.json',
    '{\n  "mcpServers": {\n    "a": 1 2\n  }\n}',
    'mcp.json, line 3, column 12: this is not valid JSON.',
  ],
  ['.cursor/mcp.json', '[]', 'mcp.json must contain a JSON object.'],
  ['.cursor/mcp.json', '{"mcpServers": 1}', 'mcp.json: mcpServers must be a JSON object.'],
  [
    '.codex/config.toml',
    'a = 1\nmcp_servers.db = { command = "x" }',
    'config.toml, line 2: svc cannot edit servers',
  ],
])('an invalid file %s is an error, and no file is written: %j', async (name, text, message) => {
  const project = createProject({ [name]: text });
  const { exitCode, err } = await project.setup(`--client ${ALL} --yes`);
  expect(exitCode).toBe(ExitCode.usage);
  expect(err).toContain(message);
  expect(project.read(name)).toBe(text);
  expect(project.listFiles()).toHaveLength(1);
});

it('without a terminal and without --yes, the command shows the changes and writes nothing', async () => {
  const project = createProject({ '.cursor/mcp.json': '{}' });
  const { exitCode, out, err } = await project.setup('');
  expect(exitCode).toBe(ExitCode.usage);
  expect(out).toMatch(/^change .*\.cursor\/mcp\.json\n- \{\}\n\+ \{\n\+ {3}"mcpServers": \{/);
  expect(err).toContain('Write these changes with: svc agent setup --client cursor --yes');
  expect(project.read('.cursor/mcp.json')).toBe('{}');
});

it('with --json, the result has the status and the new text of each file', async () => {
  const project = createProject({ '~/.codex/auth.json': '{}' });
  const { exitCode, out, err } = await project.setup('--json');
  expect(exitCode).toBe(ExitCode.usage);
  expect(JSON.parse(out)).toEqual({
    written: false,
    files: [
      { client: 'codex', path: project.toPath('~/.codex/config.toml'), status: 'missing', text: codexTable },
    ],
  });
  expect(JSON.parse(err).error.next[0].command).toBe('svc agent setup --client codex --yes');
  expect(JSON.parse((await project.setup('--json --yes')).out)).toMatchObject({ written: true });
});

it.each([
  ['y', true],
  ['n', false],
])('in a terminal, the file is written only after confirmation: %s', async (answer, isWritten) => {
  const project = createProject({ 'CLAUDE.md': '' });
  const prompt = { input: new PassThrough(), output: new PassThrough() };
  const result = project.setup('', { prompt });
  let screen = '';
  prompt.output.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  await vi.waitFor(() => expect(stripVTControlCharacters(screen)).toContain('(y/N)'), 15_000);
  prompt.input.write(`${answer}\r`);
  const { out } = await result;
  expect(out).toContain('+ name: svc');
  expect(existsSync(project.toPath('.mcp.json'))).toBe(isWritten);
});

it('a symbolic link stays, and its target changes', async () => {
  const project = createProject({ 'shared.json': '{}', '.cursor/rules': '' });
  symlinkSync(project.toPath('shared.json'), project.toPath('.cursor/mcp.json'));
  await project.setup('--client cursor --yes');
  expect(lstatSync(project.toPath('.cursor/mcp.json')).isSymbolicLink()).toBe(true);
  expect(project.read('shared.json')).toContain('svc-emulator');
});

it('--remove keeps a skill that svc has not written', async () => {
  const project = createProject({ '.claude/skills/svc/SKILL.md': '---\nname: other\n---\n' });
  expect((await project.setup('--client claude-code --remove --yes')).out).toContain('Nothing to remove');
});

it('without a client, the error names them', async () => {
  const { exitCode, err } = await createProject().setup('--yes');
  expect(exitCode).toBe(ExitCode.usage);
  expect(err).toContain('Name one of claude-code, cursor, codex, vscode');
});
