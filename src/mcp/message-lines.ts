/** Splits the input of a client into lines, one for each message, and leaves out lines that are too long. */
import { Transform } from 'node:stream';

export const MAX_LINE_BYTES = 10 * 1024 * 1024;

const LINE_FEED = '\n'.charCodeAt(0);

/**
 * Passes on complete lines.
 * @param onTooLong called for each line with more than {@link MAX_LINE_BYTES}
 */
export function splitMessageLines(onTooLong: () => void): Transform {
  /** The parts of a line; empty once it is too long. */
  let line: Buffer[] = [];
  let size = 0;

  function add(part: Buffer): void {
    size += part.length;
    if (size > MAX_LINE_BYTES) line = [];
    else line.push(part);
  }

  /** Ends the line. @returns null if it was too long */
  function take(): Buffer | null {
    const text = size > MAX_LINE_BYTES ? null : Buffer.concat(line);
    if (text === null) onTooLong();
    line = [];
    size = 0;
    return text;
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
