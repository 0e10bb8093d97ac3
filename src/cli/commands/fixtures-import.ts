/** `svc fixtures import`: writes a fixture for each event type in a recording, an OpenAPI document or a folder of payloads. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { SvcError } from '../../domain/errors.ts';
import { isEventType } from '../../domain/event.ts';
import { indentJson, parseJsonObject } from '../../domain/json-text.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { removeKnownSecrets } from '../../domain/secret-remover.ts';
import { findFixture } from '../../fixtures/event-fixtures.ts';
import { isOpenApi, readOpenApiEvents } from '../../fixtures/openapi-events.ts';
import { escapeTemplates } from '../../fixtures/template.ts';
import { readDataFile, readTextFile } from '../../platform/read-data-file.ts';
import { readEvents } from '../../recordings/read-events.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { writeText } from '../file-access.ts';
import { parseList } from '../option-parsers.ts';
import { confirmOrFail, requiredYesRow } from '../prompt.ts';
import { readRecording } from '../recording-file.ts';
import { printWarning } from '../report-error.ts';
import { resolveFixtureFolders } from '../resolve-fixture-folders.ts';

/** The newest event of a type. */
interface Sample {
  readonly type: string;
  /** Milliseconds since 1970; null for one without a time. */
  readonly at: number | null;
  /** `staging.har, entry 3` */
  readonly from: string;
  /** JSON text, without secrets. A template in it is text. */
  readonly payload: string;
}

export const command = defineCommand({
  options: {
    files: {
      argument: '<files...>',
      summary:
        'Recordings (HAR, or the NDJSON of svc deliveries export), OpenAPI documents, or folders of payloads',
    },
    type: {
      option: '--type <list>',
      summary: 'Event types to import, separated by commas; repeatable',
      parse: parseList,
      defaultText: 'all',
    },
    dryRun: { option: '--dry-run', summary: 'Show the fixtures, and write nothing' },
    yes: requiredYesRow('Write'),
  },
  examples: [
    ['Create a fixture for each event type in a recording', 'fixtures import staging.har'],
    ['Show what the webhooks of an OpenAPI document would give', 'fixtures import openapi.yaml --dry-run'],
    ['Create one for each payload in a folder', 'fixtures import payloads/'],
  ],
  async run({ files, type: types, dryRun, yes }, context) {
    const { projectFolder } = await context.resolveConfig();
    const newest = await readNewest(files, context);
    const missing = types?.find((type) => !newest.has(type));
    if (missing !== undefined || newest.size === 0) {
      const ofType = missing === undefined ? '' : ` of type ${missing}`;
      throw new SvcError('not_found', `${files.join(', ')} has no event${ofType}.`, {
        hint:
          newest.size === 0
            ? 'Pass a file or a folder with events.'
            : `Use one of: ${[...newest.keys()].join(', ')}`,
      });
    }
    const selected = [...newest.values()].filter(({ type }) => types?.includes(type) ?? true);
    const folder = join(projectFolder, 'fixtures', 'events');
    const rows = selected.map(({ type, at, from }) => {
      const file = join(folder, `${type}.json`);
      const time = at === null ? null : new Date(at).toISOString();
      return { type, at: time, from, file, replaces: existsSync(file) };
    });
    for (const { type, at, from, replaces } of rows) {
      const facts = [type, at, from, replaces && 'replaces the current fixture'];
      context.io.note(facts.filter(Boolean).join('  '));
    }
    const count = formatCount(rows.length, 'fixture');
    if (dryRun) return context.print({ fixtures: rows }, () => `${count} would be written to ${folder}.`);
    await confirmOrFail(context, `Write ${count} to ${folder}?`, yes);
    const folders = await resolveFixtureFolders(context);
    for (const [index, { type, from, file }] of rows.entries()) {
      const current = findFixture(type, folders);
      const description = JSON.stringify(current?.description ?? `Imported from ${from}.`);
      const text = `{"description":${description},"payload":${selected[index]?.payload}}`;
      await writeText(file, `${indentJson(text)}\n`);
    }
    context.print({ fixtures: rows }, () => `Wrote ${count} to ${folder}.`);
  },
});

async function readNewest(files: readonly string[], context: Context): Promise<Map<string, Sample>> {
  const newest = new Map<string, Sample>();
  for (const file of files) {
    for (const sample of await readSamples(file, context)) {
      if ((sample.at ?? 0) < (newest.get(sample.type)?.at ?? 0)) continue;
      newest.set(sample.type, { ...sample, payload: escapeTemplates(removeKnownSecrets(sample.payload)) });
    }
  }
  return newest;
}

async function readSamples(file: string, context: Context): Promise<readonly Sample[]> {
  const path = resolve(context.cwd, file);
  if (file !== '-' && existsSync(path)) {
    if (statSync(path).isDirectory()) return readFolder(path, file);
    const mayBeDocument =
      /^\.(?:json|ya?ml)$/.test(extname(path)) && /\bopenapi"?\s*:/.test(readTextFile(path));
    const document = mayBeDocument ? await readDataFile(path) : null;
    if (isOpenApi(document)) return readDocument(document, file, context);
  }
  const recording = await readRecording(file, context);
  return readEvents(recording).events.map(({ position, ...event }) => ({
    ...event,
    from: `${recording.file}, ${position}`,
  }));
}

/** A payload in each file, which is named as its event type. */
function readFolder(path: string, folder: string): Sample[] {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.json$/.test(name),
  );
  return names.map((name) => {
    const payload = readTextFile(join(path, name));
    const type = name.replaceAll('\\', '/').replace(/\.json$/, '');
    parseJsonObject(payload, join(folder, name));
    if (isEventType(type)) return { type, at: null, from: join(folder, name), payload };
    throw new SvcError('usage', `${join(folder, name)} is not named as an event type.`, {
      hint: 'Rename it to the type, such as order.shipped.json.',
    });
  });
}

async function readDocument(document: object, file: string, context: Context): Promise<Sample[]> {
  const { sender } = await context.resolveRules();
  const { events, missing } = await readOpenApiEvents(document as never, sender.types);
  for (const problem of missing) printWarning(`${file}: no fixture for ${problem}.`, context.io);
  return events.map(({ type, payload }) => ({
    type,
    at: null,
    from: file,
    payload: JSON.stringify(payload),
  }));
}
