/** `svc fixtures import`: writes a fixture for each event type in a recording, an OpenAPI document or a folder of payloads. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SvcError } from '../../domain/errors.ts';
import { isEventType } from '../../domain/event.ts';
import { isObject } from '../../domain/json.ts';
import { indentJson, parseJsonObject } from '../../domain/json-text.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { removeKnownSecrets } from '../../domain/secret-remover.ts';
import { findFixture } from '../../fixtures/event-fixtures.ts';
import { readOpenApiEvents } from '../../fixtures/openapi-events.ts';
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
    const source = files.join(', ');
    if (newest.size === 0)
      throw new SvcError('not_found', `${source} has no event.`, {
        hint: 'Pass a file or a folder with events.',
      });
    const missing = types?.find((type) => !newest.has(type));
    const hint = `Use one of: ${[...newest.keys()].join(', ')}`;
    if (missing) throw new SvcError('not_found', `${source} has no event of type ${missing}.`, { hint });
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
    for (const { type, from, payload } of selected) {
      const description = findFixture(type, folders)?.description ?? `Imported from ${from}.`;
      const text = `{"description":${JSON.stringify(description)},"payload":${payload}}`;
      await writeText(join(folder, `${type}.json`), `${indentJson(text)}\n`);
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
    if (/\.(?:json|ya?ml)$/.test(path) && /\bopenapi"?\s*:/.test(readTextFile(path))) {
      const document = await readDataFile(path);
      // Recordings can contain the word too.
      if (isObject(document) && document.openapi) return readDocument(document, file, context);
    }
  }
  const recording = await readRecording(file, context);
  return readEvents(recording).events.map(({ position, ...event }) => ({
    ...event,
    from: `${recording.file}, ${position}`,
  }));
}

/** A payload in each file, which is named as its event type. */
function readFolder(path: string, folder: string): Sample[] {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const from = join(folder, name);
      const payload = readTextFile(join(path, name));
      const type = name.replaceAll('\\', '/').slice(0, -'.json'.length);
      parseJsonObject(payload, from);
      if (isEventType(type)) return { type, at: null, from, payload };
      throw new SvcError('usage', `${from} is not named as an event type.`, {
        hint: 'Rename it to the type, such as order.shipped.json.',
      });
    });
}

async function readDocument(document: object, file: string, context: Context): Promise<Sample[]> {
  const { sender } = await context.resolveRules();
  const { events, missing } = await readOpenApiEvents(document, sender.types);
  for (const problem of missing) printWarning(`${file}: no fixture for ${problem}.`, context.io);
  return events.map(({ type, payload }) => ({
    type,
    at: null,
    from: file,
    payload: JSON.stringify(payload),
  }));
}
