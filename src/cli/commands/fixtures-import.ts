/** `svc fixtures import`: writes a fixture for each event type in a recording. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../../create-folder.ts';
import { indentJson } from '../../domain/json.ts';
import { applyJsonEdits, getAtPath, parseAssignment, parsePath } from '../../domain/json-path.ts';
import { parseJsonTree } from '../../domain/json-tree.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { removeKnownSecrets } from '../../domain/secret-remover.ts';
import { SvcError } from '../../errors.ts';
import { findFixture } from '../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { escapeTemplates } from '../../fixtures/template.ts';
import { openCaptureSource } from '../capture/capture-source.ts';
import { type CapturedEvent, readCapture, readPayload } from '../capture/read-capture.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { writeText } from '../file-access.ts';
import { collectAssignments, parseList } from '../option-parsers.ts';
import { confirmOrFail } from '../prompt.ts';
import { renderTable } from '../render/table.ts';

interface ImportOptions {
  readonly files: readonly string[];
  readonly type?: readonly string[];
  readonly replace?: readonly string[];
  readonly yes?: true;
}

/** The newest event of a type. The names are those of the output. */
interface ImportedFixture {
  readonly type: string;
  readonly at: string;
  readonly from: string;
  readonly file: string;
  readonly replaces: boolean;
}

export const command: CommandDefinition<ImportOptions> = {
  configure: (command) =>
    command
      .argument('<files...>', 'Recordings: HAR, or the NDJSON of svc deliveries export')
      .optionWithDefault(
        '--type <list>',
        'Event types to import, separated by commas; repeatable',
        'all',
        parseList,
      )
      .option(
        '--replace <path=value>',
        'Replace a private value in each payload that has it; repeatable',
        collectAssignments,
      )
      .option('-y, --yes', 'Write without asking for confirmation'),
  examples: [
    ['Create a fixture for each event type in a recording', 'fixtures import staging.har'],
    [
      'Import one type without the name of the customer',
      'fixtures import staging.har --type order.created --replace "customer.name=Jane Doe"',
    ],
  ],
  async run({ files, type: types, replace = [], yes }, context) {
    const { projectFolder } = await context.resolveConfig();
    const events = await readNewest(files, context);
    for (const type of types ?? []) {
      if (!events.has(type)) throw createMissingTypeError(type, [...events.keys()]);
    }
    const folder = join(projectFolder, 'fixtures', 'events');
    const selected = [...events.values()].filter(({ event }) => types?.includes(event.type) ?? true);
    const payloads = replaceValues(
      selected.map(({ payload }) => payload),
      replace,
    );
    const fixtures = selected.map(({ event, from }, index) => {
      const file = join(folder, `${event.type}.json`);
      const at = new Date(event.at).toISOString();
      const description =
        findFixture(event.type, fixtureFolders(projectFolder))?.description ?? `Imported from ${from}.`;
      const text = `{"description":${JSON.stringify(description)},"payload":${payloads[index]}}`;
      return {
        row: { type: event.type, at, from, file, replaces: existsSync(file) },
        text: `${indentJson(text)}\n`,
      };
    });
    const rows = fixtures.map(({ row }) => row);
    context.io.note(renderTable(columns, rows, context.io.noteCapabilities));
    const count = formatCount(rows.length, 'fixture');
    await confirmOrFail(context, `Write ${count} to ${folder}?`, yes);
    createFolder(folder);
    for (const { row, text } of fixtures) await writeText(row.file, text);
    context.print({ fixtures: rows }, () => `Wrote ${count} to ${folder}.`);
  },
};

const columns = [
  { title: 'TYPE', value: ({ type }: ImportedFixture) => type },
  { title: 'TIME', value: ({ at }: ImportedFixture) => at, hideOrder: 1 },
  { title: 'FROM', value: ({ from }: ImportedFixture) => from },
  { title: '', value: ({ replaces }: ImportedFixture) => (replaces ? 'replaces the current fixture' : '') },
];

interface NewestEvent {
  readonly event: CapturedEvent;
  /** JSON text, without secrets. A template in it is text. */
  readonly payload: string;
  /** `staging.har, entry 3` */
  readonly from: string;
}

/** The newest event of each type. */
async function readNewest(files: readonly string[], context: Context): Promise<Map<string, NewestEvent>> {
  const newest = new Map<string, NewestEvent>();
  for (const file of files) {
    const source = await openCaptureSource(file, context);
    try {
      for (const event of (await readCapture(source, context.signal)).events) {
        if (event.at < (newest.get(event.type)?.event.at ?? 0)) continue;
        const payload = escapeTemplates(removeKnownSecrets(readPayload(event, source)));
        newest.set(event.type, { event, payload, from: `${source.name}, ${event.position}` });
      }
    } finally {
      source.close();
    }
  }
  return newest;
}

/** @throws SvcError `usage` for a path that no payload has */
function replaceValues(payloads: readonly string[], replace: readonly string[]): string[] {
  const edits = replace.map((text) => ({ kind: 'override' as const, ...parseAssignment(text) }));
  const has = (payload: string, path: string) =>
    getAtPath(parseJsonTree(payload), parsePath(path)) !== undefined;
  const unknown = edits.find(({ path }) => !payloads.some((payload) => has(payload, path)));
  if (unknown !== undefined) {
    throw new SvcError('usage', `No payload has a value at ${unknown.path}.`, {
      hint: 'Correct the path of --replace.',
    });
  }
  return payloads.map((payload) =>
    applyJsonEdits(
      payload,
      edits.filter(({ path }) => has(payload, path)),
    ),
  );
}

function createMissingTypeError(type: string, types: readonly string[]): SvcError {
  return new SvcError('not_found', `The recording has no event of type ${type}.`, {
    hint: `Use one of: ${types.join(', ')}`,
  });
}
