/** Splits the input of a client into lines, one for each message, and leaves out lines that are too long or not JSON. */
import { Transform } from 'node:stream';
import { isJson } from '../domain/json.ts';

export const MAX_LINE_BYTES = 10 * 1024 * 1024;

const LINE_FEED = '\n'.charCodeAt(0);

/**
 * Passes on complete lines.
 * @param onRefused called for each line with more than {@link MAX_LINE_BYTES}, and for each other one that is not JSON, except an
 *   empty one
 */
export function splitMessageLines(onRefused: (reason: 'too_long' | 'not_json') => void): Transform {
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
    if (text === null) onRefused('too_long');
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
        if (text === null) continue;
        const json = text.toString();
        if (isJson(json)) this.push(text);
        else if (json.trim() !== '') onRefused('not_json');
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
