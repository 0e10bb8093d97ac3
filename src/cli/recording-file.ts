/** Reads the recordings that arguments name. */
import { resolve } from 'node:path';
import { decodeText } from '../domain/decode-text.ts';
import { readBytes } from '../platform/read-data-file.ts';
import { parseRecording, RECORDING_LIMIT_BYTES, type Recording } from '../recordings/read-recording.ts';
import type { ProcessContext } from './process-context.ts';
import { printWarning } from './report-error.ts';

/**
 * Reads a recording, and warns if entries are skipped.
 * @param file `-` is standard input
 * @throws SvcError `usage` when it cannot be read or is not a recording; as `Io.readInput`
 */
export async function readRecording(
  file: string,
  { io, cwd, signal }: Pick<ProcessContext, 'io' | 'cwd' | 'signal'>,
): Promise<Recording> {
  const isInput = file === '-';
  const bytes = isInput
    ? await io.readInput(RECORDING_LIMIT_BYTES, signal)
    : readBytes(resolve(cwd, file), RECORDING_LIMIT_BYTES);
  const name = isInput ? 'standard input' : file;
  const recording = parseRecording(decodeText(bytes, name), name);
  if (recording.warning !== null) printWarning(recording.warning, io);
  return recording;
}
