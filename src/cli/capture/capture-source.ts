/** Reads the bytes of a recording in parts, so that its size does not matter. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { createReadError } from '../../config/read-data-file.ts';
import { openRegularFile } from '../../read-regular-file.ts';
import { yieldToEventLoop } from '../../timers.ts';
import type { ProcessContext } from '../process-context.ts';
import { printWarning } from '../report-error.ts';
import { createCaptureError } from './capture.ts';

/** Size limit of a recording that is read as a whole: HAR, and standard input. docs/exporting.md states it. */
export const WHOLE_LIMIT_BYTES = 256 * 2 ** 20;
/** Size limit of a line of NDJSON, which is one delivery. docs/exporting.md states it. */
const LINE_LIMIT_BYTES = 16 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;
const LINE_FEED = 0x0a;

export interface CaptureSource {
  /** Its name for messages. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Returns fewer bytes than `length` only at the end. */
  read(offset: number, length: number): Buffer;
  /** Reports a part that is skipped. */
  warn(message: string): void;
  close(): void;
}

/**
 * @param file `-` is standard input
 * @throws SvcError `usage` if it cannot be read or is not a regular file, or if standard input is too large; `interrupted`
 */
async function openCaptureSource(
  file: string,
  { io, cwd, signal }: Pick<ProcessContext, 'io' | 'cwd' | 'signal'>,
): Promise<CaptureSource> {
  const warn = (message: string) => printWarning(message, io);
  if (file === '-') {
    return { ...toCaptureSource('standard input', await io.readInput(WHOLE_LIMIT_BYTES, signal)), warn };
  }
  const path = resolve(cwd, file);
  try {
    const descriptor = openRegularFile(path, Number.POSITIVE_INFINITY);
    return {
      name: file,
      sizeBytes: fstatSync(descriptor).size,
      read: (offset, length) => readPart(descriptor, offset, length),
      warn,
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    throw createReadError(path, error);
  }
}

/**
 * Opens a recording, and closes it after `read`.
 * @throws SvcError as {@link openCaptureSource}; the error of `read`
 */
export async function readCaptureFile<Result>(
  file: string,
  context: Pick<ProcessContext, 'io' | 'cwd' | 'signal'>,
  read: (source: CaptureSource) => Promise<Result>,
): Promise<Result> {
  const source = await openCaptureSource(file, context);
  try {
    return await read(source);
  } finally {
    source.close();
  }
}

export function toCaptureSource(name: string, bytes: Buffer): CaptureSource {
  return {
    name,
    sizeBytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    warn() {},
    close() {},
  };
}

function readPart(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  while (end < length) {
    const count = readSync(descriptor, bytes, end, length - end, offset + end);
    if (count === 0) break;
    end += count;
  }
  return bytes.subarray(0, end);
}

interface CaptureLine {
  /** `line 12` */
  readonly position: string;
  /** Of the first byte in the source. */
  readonly offset: number;
  /** Without the line feed. */
  readonly bytes: Buffer;
}

/** Lets other tasks run between parts, so that a signal can end the command. @throws SvcError `usage` for a line that is too long */
export async function* readLines(source: CaptureSource): AsyncGenerator<CaptureLine> {
  let offset = 0;
  let lineNumber = 1;
  let length = CHUNK_BYTES;
  for (;;) {
    const part = source.read(offset, length);
    const toLine = (start: number, end: number): CaptureLine => ({
      position: `line ${lineNumber++}`,
      offset: offset + start,
      bytes: part.subarray(start, end),
    });
    let start = 0;
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, start)) {
      yield toLine(start, end);
      start = end + 1;
    }
    if (part.length < length) {
      if (start < part.length) yield toLine(start, part.length);
      return;
    }
    if (start === 0 && length >= LINE_LIMIT_BYTES) {
      throw createCaptureError(
        source.name,
        `line ${lineNumber}`,
        `the line is longer than ${LINE_LIMIT_BYTES / 2 ** 20} MB`,
      );
    }
    // The part ends within a line: the next one begins with this line, and is larger if it was the whole part.
    length = start === 0 ? 2 * length : CHUNK_BYTES;
    offset += start;
    await yieldToEventLoop();
  }
}
