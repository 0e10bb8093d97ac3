import type { Page } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';

/**
 * Loads all pages of a list.
 * @throws SvcError `no_emulator` when a cursor repeats, because the list would never end.
 */
export async function listAll<Item>(
  loadPage: (page: { limit: number; starting_after?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  const cursors = new Set<string>();
  let page = await loadPage({ limit: PAGE_SIZE });
  items.push(...page.data);
  while (page.has_more && page.end_cursor !== null) {
    const { end_cursor: cursor } = page;
    if (cursors.has(cursor)) {
      throw new SvcError(
        'no_emulator',
        `The server returned the cursor ${JSON.stringify(cursor)} twice, so the list has no end.`,
        {
          hint: 'Check which server responds: svc emulator status',
        },
      );
    }
    cursors.add(cursor);
    page = await loadPage({ limit: PAGE_SIZE, starting_after: cursor });
    items.push(...page.data);
  }
  return items;
}

const PAGE_SIZE = 1000;
