import { listConfig } from '../../config.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { renderTable } from '../render/table.ts';

export const command: CommandDefinition<object> = {
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
        { title: 'VALUE', value: ({ value }) => toText(value), shrinks: true },
        { title: 'FROM', value: ({ from }) => from, leaves: 2 },
        { title: 'WHAT IT IS', value: ({ description }) => description, leaves: 1 },
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
