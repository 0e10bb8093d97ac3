/** The clients of coding agents: how to find them, and the files that connect them to svc. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../domain/json.ts';
import { locateJsonError } from '../../domain/json-error-position.ts';
import { readJsoncField, removeJsoncField, setJsoncField, toPlainJson } from '../../domain/jsonc.ts';
import { SvcError } from '../../errors.ts';
import { findPackageFiles } from '../../package-files.ts';
import { removeServerTable, setServerTable } from './codex-config.ts';

export const agentClients = ['claude-code', 'cursor', 'codex', 'vscode'] as const;
export type AgentClient = (typeof agentClients)[number];

/** The name of the MCP server in the configuration of a client. */
const SERVER_NAME = 'svc-emulator';
/** `npx` uses the version that the project has installed, or downloads the newest one. */
const SERVER = { command: 'npx', args: ['-y', 'svc-emulator', 'mcp'] } as const;

/** A file of a client, with functions from its text to its new text. Empty text means that the file does not exist. */
export interface AgentFile {
  readonly client: AgentClient;
  readonly path: string;
  readonly write: (text: string) => string;
  readonly remove: (text: string) => string;
}

interface Folders {
  readonly project: string;
  readonly home: string;
}

export function toFolders(project: string, env: Readonly<Record<string, string | undefined>>): Folders {
  return { project, home: env.HOME ?? homedir() };
}

const clientMarks: Readonly<
  Record<AgentClient, { readonly project: readonly string[]; readonly home: string }>
> = {
  'claude-code': { project: ['.mcp.json', '.claude', 'CLAUDE.md'], home: '.claude' },
  cursor: { project: ['.cursor'], home: '.cursor' },
  codex: { project: ['.codex'], home: '.codex' },
  vscode: { project: ['.vscode'], home: '.vscode' },
};

/** The clients whose files are in the project or in the home folder. */
export function findClients({ project, home }: Folders): AgentClient[] {
  return agentClients.filter((client) => {
    const marks = clientMarks[client];
    return (
      marks.project.some((name) => existsSync(join(project, name))) || existsSync(join(home, marks.home))
    );
  });
}

export function listAgentFiles(client: AgentClient, { project, home }: Folders): AgentFile[] {
  switch (client) {
    case 'claude-code':
      return [
        jsonFile(client, join(project, '.mcp.json'), 'mcpServers', SERVER),
        skillFile(client, join(project, '.claude/skills/svc/SKILL.md')),
      ];
    case 'cursor':
      return [jsonFile(client, join(project, '.cursor/mcp.json'), 'mcpServers', SERVER)];
    case 'vscode':
      return [jsonFile(client, join(project, '.vscode/mcp.json'), 'servers', { type: 'stdio', ...SERVER })];
    case 'codex': {
      // Codex reads the file of a project only if the user trusts the project.
      const folder = existsSync(join(project, '.codex')) ? project : home;
      return [codexFile(client, join(folder, '.codex/config.toml'))];
    }
  }
}

function jsonFile(client: AgentClient, path: string, section: string, server: object): AgentFile {
  return {
    client,
    path,
    write: (text) => {
      assertJsonObject(text, path, section);
      const existing = readJsoncField(text, section, SERVER_NAME);
      // The user may have added fields, such as variables.
      const value = isObject(existing) ? { ...existing, ...server } : server;
      return JSON.stringify(value) === JSON.stringify(existing)
        ? text
        : setJsoncField(text, section, SERVER_NAME, value);
    },
    remove: (text) => {
      if (text === '') return text;
      assertJsonObject(text, path, section);
      const rest = removeJsoncField(text, section, SERVER_NAME);
      return /^\s*\{\s*\}\s*$/.test(rest) && rest !== text ? '' : rest;
    },
  };
}

/** @throws SvcError `usage` for a file that is not JSON, with or without comments, or has other types than expected */
function assertJsonObject(text: string, path: string, section: string): void {
  if (text.trim() === '') return;
  const json = toPlainJson(text);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const { line, column } = locateJsonError(json);
    throw createInvalidFileError(`${path}, line ${line}, column ${column}: this is not valid JSON.`, cause);
  }
  if (!isObject(value)) throw createInvalidFileError(`${path} must contain a JSON object.`);
  const servers = value[section];
  if (servers !== undefined && !isObject(servers)) {
    throw createInvalidFileError(`${path}: ${section} must be a JSON object.`);
  }
}

function createInvalidFileError(message: string, cause?: unknown): SvcError {
  return new SvcError('usage', message, { hint: 'Correct the file. Nothing was written.', cause });
}

function codexFile(client: AgentClient, path: string): AgentFile {
  return {
    client,
    path,
    write: (text) => setServerTable(text, path, SERVER_NAME, SERVER),
    remove: (text) => removeServerTable(text, SERVER_NAME),
  };
}

const SKILL_START = /^---\nname: svc\n/;

function skillFile(client: AgentClient, path: string): AgentFile {
  return {
    client,
    path,
    write: readSkill,
    remove: (text) => (SKILL_START.test(text) ? '' : text),
  };
}

function readSkill(): string {
  const skill = findPackageFiles('skills/svc')?.read('SKILL.md') ?? null;
  if (skill === null) throw new Error('The package contains no skill.');
  return skill.toString();
}
