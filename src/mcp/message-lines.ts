/** Splits the input of a client into lines, one for each message, and leaves out lines that are too long. */
import { Transform } from 'node:stream';

export const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** The ID of a message is within this number of bytes of its start or end, if it is not inside of its other fields. */
const EDGE_BYTES = 256;
const LINE_FEED = '\n'.charCodeAt(0);

/** The ID at the start of a message, as JSON text. */
const ID_AT_START =
  /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*(-?(?:0|[1-9]\d*)|"[^"\\]*")\s*[,}]/;
/** The ID as the last field of a message. */
const ID_AT_END =
  /,\s*"id"\s*:\s*(-?(?:0|[1-9]\d*)|"[^"\\]*")(?:\s*,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*")*\s*\}\s*$/;

/**
 * Passes on complete lines.
 * @param onTooLong called for each line with more than {@link MAX_LINE_BYTES}, with the ID of its message; null if it is unknown
 */
export function splitMessageLines(onTooLong: (id: string | number | null) => void): Transform {
  let line: Buffer[] = [];
  let size = 0;
  /** The end of a line that is too long. `line` then contains its start. */
  let end = Buffer.alloc(0);

  function add(part: Buffer): void {
    size += part.length;
    if (size <= MAX_LINE_BYTES) return void line.push(part);
    const isFirst = end.length === 0;
    const text = Buffer.concat([...(isFirst ? line : [end]), part]);
    // Copies, so that the rest of the line can be freed.
    if (isFirst) line = [Buffer.from(text.subarray(0, EDGE_BYTES))];
    end = Buffer.from(text.subarray(-EDGE_BYTES));
  }

  /** Ends the line. @returns null if it was too long */
  function take(): Buffer | null {
    const text = Buffer.concat(line);
    const isTooLong = size > MAX_LINE_BYTES;
    if (isTooLong) onTooLong(findId(text.toString(), end.toString()));
    line = [];
    size = 0;
    end = Buffer.alloc(0);
    return isTooLong ? null : text;
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (;;) {
        const lineFeed = chunk.indexOf(LINE_FEED, start);
        if (lineFeed === -1) break;
        add(chunk.subarray(start, lineFeed + 1));
        start = lineFeed + 1;
        const text = take();
        if (text !== null) this.push(text);
      }
      add(chunk.subarray(start));
      done();
    },
    flush(done) {
      // The rest has no line feed, so it is not a message.
      take();
      done();
    },
  });
}

function findId(start: string, end: string): string | number | null {
  const [, id = 'null'] = ID_AT_START.exec(start) ?? ID_AT_END.exec(end) ?? [];
  return JSON.parse(id);
}
