import { listConfig } from '../../config.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { renderTable } from '../render/table.ts';

const NOTE = `
The configuration file is svc.config.json, .mjs or .ts in this folder or in a folder above, up to the project root: the
nearest folder with package.json, .git or .svc. A file that another user can change is refused. SVC_TRUST_FOLDERS names
folders whose files are used all the same, as absolute paths; see docs/security.md.`;

export const command: CommandDefinition<object> = {
  configure: (command) => command.addHelpText('after', NOTE),
  examples: ['config', 'config --json'],
  run,
};

async function run(_options: object, context: Context): Promise<void> {
  const config = await context.config();
  const data = listConfig(config);
  context.print({ data, has_more: false, end_cursor: data.at(-1)?.setting ?? null, file: config.file }, () =>
    renderTable(
      [
        { title: 'SETTING', value: ({ setting }) => setting },
        { title: 'VALUE', value: ({ value }) => toText(value), canTruncate: true },
        { title: 'FROM', value: ({ from }) => from, hideOrder: 2 },
        { title: 'WHAT IT IS', value: ({ description }) => description, hideOrder: 1 },
      ],
      data,
      context.io,
    ),
  );
}

function toText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
