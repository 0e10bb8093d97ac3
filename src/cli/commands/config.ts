/** `svc config`: shows the value and the source of every setting. */
import { listConfig } from '../../config/resolve-config.ts';
import { defineCommand } from '../define-command.ts';
import { renderTable } from '../render/table.ts';

const NOTE = `
The configuration file is svc.config.json, svc.config.mjs or svc.config.ts. svc looks for it in this folder and its
parents, up to the project root. The project root is the nearest folder with package.json, .git or .svc. A file that
another user can change is rejected, unless SVC_TRUST_FOLDERS lists its folder as an absolute path. See
docs/security.md.`;

export const command = defineCommand({
  notes: NOTE,
  examples: [['Show every setting', 'config']],
  async run(_options, context) {
    const config = await context.resolveConfig();
    const data = listConfig(config);
    context.print(
      { data, has_more: false, end_cursor: data.at(-1)?.setting ?? null, file: config.file },
      () =>
        renderTable(
          [
            { title: 'SETTING', value: ({ setting }) => setting },
            { title: 'VALUE', value: ({ value }) => formatValue(value), canTruncate: true },
            { title: 'SOURCE', value: ({ from }) => from, hideOrder: 2 },
            { title: 'DESCRIPTION', value: ({ description }) => description, hideOrder: 1 },
          ],
          data,
          context.io,
        ),
    );
  },
});

function formatValue(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
