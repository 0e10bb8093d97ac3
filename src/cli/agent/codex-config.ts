/** Edits the tables of MCP servers in the configuration of Codex, which is TOML. Other lines stay. */
import { SvcError } from '../../errors.ts';

interface Table {
  /** Index of the line with the header. */
  readonly start: number;
  /** Index of the line after the table. */
  readonly end: number;
}

/** Values as Codex reads them: strings and arrays of strings. */
type TableValues = Readonly<Record<string, string | readonly string[]>>;

/** Sets values of `[mcp_servers.NAME]`. Other keys of the table stay. @throws SvcError `usage` if it is written in another form */
export function setServerTable(text: string, file: string, name: string, values: TableValues): string {
  const lines = text.split('\n');
  assertEditable(lines, file, name);
  const [table] = findTables(lines, name);
  const newLines = Object.entries(values).map(([key, value]) => `${key} = ${toToml(value)}`);
  if (table === undefined) {
    const start = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
    return `${start}[mcp_servers.${name}]\n${newLines.join('\n')}\n`;
  }
  const kept = removeKeys(lines.slice(table.start + 1, table.end), Object.keys(values));
  return [...lines.slice(0, table.start + 1), ...newLines, ...kept, ...lines.slice(table.end)].join('\n');
}

/** Removes the table of a server with the tables below it. */
export function removeServerTable(text: string, name: string): string {
  const lines = text.split('\n');
  const tables = findTables(lines, name);
  if (tables.length === 0) return text;
  for (const { start, end } of tables.reverse()) lines.splice(start, end - start);
  const rest = lines.join('\n').trimEnd();
  return rest === '' ? '' : `${rest.replace(/\n{3,}/g, '\n\n').trimStart()}\n`;
}

/** The tables `[mcp_servers.NAME]` and `[mcp_servers.NAME.…]`, in order. */
function findTables(lines: readonly string[], name: string): Table[] {
  const header = new RegExp(`^\\s*\\[\\s*mcp_servers\\s*\\.\\s*"?${name}"?\\s*[.\\]]`);
  const isInText = findMultilineStrings(lines);
  const starts = lines.flatMap((line, index) => (!isInText[index] && header.test(line) ? [index] : []));
  return starts.map((start) => {
    const next = lines.findIndex(
      (line, index) =>
        index > start && !isInText[index] && /^\s*\[/.test(line) && !/^\s*\[\s*["']/.test(line),
    );
    let end = next === -1 ? lines.length : next;
    // Comments above the next table belong to it.
    while (end > start + 1 && /^\s*(?:#|$)/.test(lines[end - 1] ?? '')) end--;
    return { start, end };
  });
}

/** For each line, whether it starts inside a string of several lines. */
function findMultilineStrings(lines: readonly string[]): boolean[] {
  let quote: string | null = null;
  return lines.map((line) => {
    const startsInside = quote !== null;
    for (const [mark] of line.matchAll(/"""|'''/g)) {
      if (quote === null) quote = mark;
      else if (quote === mark) quote = null;
    }
    return startsInside;
  });
}

function removeKeys(lines: readonly string[], keys: readonly string[]): string[] {
  const kept: string[] = [];
  let isInArray = false;
  for (const line of lines) {
    const [, key = ''] = /^\s*([\w-]+)\s*=/.exec(line) ?? [];
    const isRemoved = isInArray || keys.includes(key);
    if (!isRemoved) kept.push(line);
    else isInArray = isInArray ? !line.includes(']') : /=\s*\[[^\]]*$/.test(line);
  }
  return kept;
}

/** The server can also be defined with inline tables and dotted keys, which are not edited. */
function assertEditable(lines: readonly string[], file: string, name: string): void {
  const index = lines.findIndex((line) =>
    new RegExp(`^\\s*(?:mcp_servers\\s*[.=]|"?${name}"?\\s*=\\s*\\{)`).test(line),
  );
  if (index === -1) return;
  throw new SvcError(
    'usage',
    `${file}, line ${index + 1}: svc cannot edit servers that are not written as tables.`,
    {
      hint: `Write the server as a table that starts with [mcp_servers.${name}].`,
    },
  );
}

function toToml(value: string | readonly string[]): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
}
