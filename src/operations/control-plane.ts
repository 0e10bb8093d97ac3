/**
 * The control plane as one interface, in this process (`create-control-plane.ts`) or over HTTP (`control-client.ts`), and
 * {@link listAll} for its lists.
 */

import { SvcError } from '../domain/errors.ts';
import type { Page } from '../resources/define-resource.ts';
import type { ControlInput, ControlOperations, ControlOutput } from './control-operations.ts';
import type { ExportInput } from './export-schemas.ts';
import type { ValidatedInput } from './operation.ts';
import type { StreamInput, StreamItem } from './stream-schemas.ts';

/**
 * One method for each operation of the table. Takes the flat input, resolves to the output and rejects with an `SvcError`.
 * Abort `signal` when the result is no longer needed: commands that move a clock then stop. Over HTTP, a closed connection
 * has the same effect.
 */
export type ControlMethods = {
  readonly [Name in keyof ControlOperations]: (
    input: ControlInput<Name>,
    signal?: AbortSignal,
  ) => Promise<ControlOutput<Name>>;
};

/** What each operation does. Takes the input after validation. */
export type ControlHandlers = {
  readonly [Name in keyof ControlOperations]: (
    input: ValidatedInput<ControlOperations[Name]>,
    signal?: AbortSignal,
  ) => Promise<ControlOutput<Name>>;
};

export interface ControlPlane extends ControlMethods {
  /** Follows changes from now on, or after `since_sequence`: each matching item once, in order. Ends when `signal` is aborted. */
  stream(input: StreamInput, signal: AbortSignal): LiveStream;
  /**
   * Exports deliveries without secrets. Resolves to the file, in parts that end with a line.
   * @throws SvcError `not_found` if no delivery matches. The iteration throws if the rest of the file is lost.
   */
  exportDeliveries(input: ExportInput, signal?: AbortSignal): Promise<AsyncIterable<string>>;
}

export interface LiveStream extends AsyncIterable<StreamItem> {
  /** Resolves when the stream is connected. No later change is missed. */
  readonly ready: Promise<void>;
}

const PAGE_SIZE = 1000;

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
          hint: { text: 'Check the server', command: 'svc emulator status' },
        },
      );
    }
    cursors.add(cursor);
    page = await loadPage({ limit: PAGE_SIZE, starting_after: cursor });
    items.push(...page.data);
  }
  return items;
}
