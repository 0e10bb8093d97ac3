/** `svc gaps`: lists the gap register with the values of the configuration. */
import { type ListedGap, listGaps } from '../../profile/list-gaps.ts';
import type { CommandGroup } from '../command.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { styleFor } from '../render/style.ts';

const list = defineCommand({
  examples: [
    ['List the open questions', 'gaps list'],
    ['Read them in a script', 'gaps list --json'],
  ],
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
  return [
    `${style.bold(id)}  ${question}`,
    `  ${style.green(valueText)}${overridden ? style.yellow('  (overridden)') : ''}`,
    `  ${style.dim(`${reason} (${reference})`)}`,
  ].join('\n');
}

export const command: CommandGroup = {
  examples: [
    ['List the open questions and how svc resolves them', 'gaps list'],
    ['Compare recordings of the service with the configuration', 'gaps check staging.har'],
  ],
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
