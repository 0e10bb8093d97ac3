/** What a live view has to know of the things that it shows. */
import type { TopicItem } from '../../contract/stream-schemas.ts';
import type { TerminalCapabilities } from '../io.ts';
import type { Column } from '../render/table.ts';

export interface LiveList<Row> {
  /** What is followed, one line. */
  readonly heading: string;
  /** What to say as long as there is no row. */
  readonly empty: string;
  /** The rows after an item of the stream; `now` is wall time. A row keeps its place, new ones come at the end. */
  add(rows: readonly Row[], item: TopicItem, now: number): readonly Row[];
  columns(terminalCapabilities: TerminalCapabilities): readonly Column<Row>[];
  /** Brings what the rows depend on up to date; called every second with the rows that can be seen. */
  refresh(rows: readonly Row[]): Promise<void>;
  /** Everything about a row, in lines. */
  describe(row: Row): Promise<string>;
  /** Sends it again. @returns what to say of it. Null for things that are not sent. */
  readonly replay: ((row: Row) => Promise<string>) | null;
  /** Where the dashboard shows it. */
  toUrl(row: Row): string;
}
