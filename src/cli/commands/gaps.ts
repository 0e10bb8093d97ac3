/** `svc gaps`: lists the gap register with the values of the configuration. */
import { type ListedGap, listGaps } from '../../profile/list-gaps.ts';
import type { CommandGroup } from '../command.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { styleFor } from '../render/style.ts';
import { MAX_TEXT_WIDTH, wrapIndented } from '../render/text-width.ts';

const list = defineCommand({
  examples: [['List the open questions', 'gaps list']],
  async run(_options, context) {
    const { profile, overrides, environment } = (await context.resolveConfig()).values;
    const data = listGaps(profile, overrides, environment);
    context.print({ data, has_more: false, end_cursor: data.at(-1)?.id ?? null }, () =>
      data.map((gap) => renderGap(gap, context)).join('\n\n'),
    );
  },
});

/** Questions and reasons are sentences, which do not fit into columns. */
function renderGap(
  { id, question, value, overridden, reason, reference }: ListedGap,
  { io }: Context,
): string {
  const style = styleFor(io);
  const valueText = typeof value === 'string' ? value : JSON.stringify(value);
  const width = Math.min(io.width, MAX_TEXT_WIDTH);
  const wrap = (text: string, paint: (line: string) => string) =>
    wrapIndented('  ', text, { width }).map(paint);
  return [
    ...wrapIndented('', `${style.bold(id)}  ${question}`, { width }),
    ...(overridden ? wrap(`${valueText} (overridden)`, style.yellow) : wrap(valueText, style.green)),
    ...wrap(`${reason} (${reference})`, style.dim),
  ].join('\n');
}

export const command: CommandGroup = {
  defaultCommand: 'list',
  commands: {
    list: { summary: 'List the open questions and how svc resolves them', ...list },
    check: {
      summary: 'Compare recordings of the service with the configuration',
      load: async () => ({ command: (await import('./gaps-check.ts')).check }),
    },
    record: {
      summary: 'Send harmless requests to the service and record them',
      load: async () => ({ command: (await import('./gaps-record.ts')).record }),
    },
  },
};
