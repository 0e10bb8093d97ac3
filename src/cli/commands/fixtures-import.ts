/** `svc fixtures import`: writes a fixture for each event type in a recording. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../domain/errors.ts';
import { indentJson } from '../../domain/json-text.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { removeKnownSecrets } from '../../domain/secret-remover.ts';
import { findFixture } from '../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { escapeTemplates } from '../../fixtures/template.ts';
import { readEvents } from '../../recordings/read-events.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { writeText } from '../file-access.ts';
import { parseList } from '../option-parsers.ts';
import { confirmOrFail, requiredYesRow } from '../prompt.ts';
import { readRecording } from '../recording-file.ts';

/** The newest event of a type. */
interface Recorded {
  readonly type: string;
  readonly at: number;
  /** `staging.har, entry 3` */
  readonly from: string;
  /** JSON text, without secrets. A template in it is text. */
  readonly payload: string;
}

const RECORD_HINT =
  'Record the traffic of your application. Events that svc gaps record created are skipped.';

export const command = defineCommand({
  options: {
    files: {
      argument: '<files...>',
      summary: 'Recordings: HAR, or the NDJSON of svc deliveries export',
    },
    type: {
      option: '--type <list>',
      summary: 'Event types to import, separated by commas; repeatable',
      parse: parseList,
      defaultText: 'all',
    },
    yes: requiredYesRow('Write'),
  },
  examples: [
    ['Create a fixture for each event type in a recording', 'fixtures import staging.har'],
    ['Import one type', 'fixtures import staging.har --type order.created'],
  ],
  async run({ files, type: types, yes }, context) {
    const { projectFolder } = await context.resolveConfig();
    const newest = await readNewest(files, context);
    const missing = types?.find((type) => !newest.has(type));
    if (missing !== undefined || newest.size === 0) {
      const ofType = missing === undefined ? '' : ` of type ${missing}`;
      throw new SvcError('not_found', `The recording has no event${ofType}.`, {
        hint: newest.size === 0 ? RECORD_HINT : `Use one of: ${[...newest.keys()].join(', ')}`,
      });
    }
    const selected = [...newest.values()].filter(({ type }) => types?.includes(type) ?? true);
    const folder = join(projectFolder, 'fixtures', 'events');
    const rows = selected.map(({ type, at, from }) => {
      const file = join(folder, `${type}.json`);
      return { type, at: new Date(at).toISOString(), from, file, replaces: existsSync(file) };
    });
    for (const { type, at, from, replaces } of rows) {
      context.io.note(`${type}  ${at}  ${from}${replaces ? '  replaces the current fixture' : ''}`);
    }
    const count = formatCount(rows.length, 'fixture');
    await confirmOrFail(context, `Write ${count} to ${folder}?`, yes);
    for (const [index, { type, from, file }] of rows.entries()) {
      const current = findFixture(type, fixtureFolders(projectFolder));
      const description = JSON.stringify(current?.description ?? `Imported from ${from}.`);
      const text = `{"description":${description},"payload":${selected[index]?.payload}}`;
      await writeText(file, `${indentJson(text)}\n`);
    }
    context.print({ fixtures: rows }, () => `Wrote ${count} to ${folder}.`);
  },
});

async function readNewest(files: readonly string[], context: Context): Promise<Map<string, Recorded>> {
  const newest = new Map<string, Recorded>();
  for (const file of files) {
    const recording = await readRecording(file, context);
    for (const { type, at, position, isProbe, payload: recorded } of readEvents(recording).events) {
      if (isProbe || at < (newest.get(type)?.at ?? 0)) continue;
      const payload = escapeTemplates(removeKnownSecrets(recorded));
      newest.set(type, { type, at, from: `${recording.file}, ${position}`, payload });
    }
  }
  return newest;
}
