import type { Page } from '../contract/resources.ts';

/** Every item of a list, page after page. */
export async function listAll<Item>(
  loadPage: (page: { limit: number; starting_after?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  let page = await loadPage({ limit: PAGE_SIZE });
  items.push(...page.data);
  while (page.has_more && page.end_cursor !== null) {
    page = await loadPage({ limit: PAGE_SIZE, starting_after: page.end_cursor });
    items.push(...page.data);
  }
  return items;
}

const PAGE_SIZE = 1000;
