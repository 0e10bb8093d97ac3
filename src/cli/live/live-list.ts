/** A list that a live view can show. */
import type { TopicItem } from '../../contract/stream-schemas.ts';
import type { TerminalCapabilities } from '../io.ts';
import type { Column } from '../render/table.ts';

export interface LiveList<Row> {
  /** One line that describes the list. */
  readonly heading: string;
  /** Text while there are no rows. */
  readonly empty: string;
  /** The rows after an item of the stream; `now` is wall time. Rows keep their position, new ones are appended. */
  add(rows: readonly Row[], item: TopicItem, now: number): readonly Row[];
  columns(capabilities: TerminalCapabilities): readonly Column<Row>[];
  /** Updates data that the visible rows depend on. Called every second. */
  refresh(rows: readonly Row[]): Promise<void>;
  /** The details of a row. */
  describe(row: Row): Promise<string>;
  /** Replays a row and returns a message. Null for rows that cannot be replayed. */
  readonly replay: ((row: Row) => Promise<string>) | null;
  /** The URL of the row in the dashboard. */
  toUrl(row: Row): string;
}
