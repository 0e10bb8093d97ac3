import { type IdKind, idPrefixes } from '../../domain/ids.ts';

/** The pages of the dashboard, by the kind of thing that they show; under its address. */
const pages: Partial<Record<IdKind, string>> = {
  workspace: 'workspaces',
  event: 'events',
  webhook: 'webhooks',
  delivery: 'deliveries',
  request: 'requests',
};

const pageOfPrefix = new Map(
  Object.entries(pages).map(([kind, page]) => [idPrefixes[kind as IdKind], page] as const),
);
const ID = new RegExp(`\\b(${[...pageOfPrefix.keys()].join('|')})[0-7][0-9A-HJKMNP-TV-Z]{25}\\b`, 'g');

/** Makes every id in a text a link to its page (OSC 8), which takes no columns. */
export function linkIds(text: string, dashboardUrl: string): string {
  return text.replace(ID, (id, prefix) => link(id, `${dashboardUrl}#/${pageOfPrefix.get(prefix)}/${id}`));
}

function link(text: string, url: string): string {
  return `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;
}
