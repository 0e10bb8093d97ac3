/** Decodes text that comes from a file, from standard input or from a recording. */
import { SvcError } from './errors.ts';

/**
 * Removes a byte order mark.
 * @param subject of the sentence in an error, such as `Standard input`
 * @throws SvcError `usage` for bytes that are not UTF-8: U+FFFD would replace them
 */
export function decodeText(bytes: Buffer, subject: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const replaced = Buffer.from(bytes.toString());
    const index = bytes.findIndex((byte, position) => byte !== replaced[position]);
    const byte = `0x${bytes[index]?.toString(16)}`;
    throw new SvcError('usage', `${subject} is not UTF-8: byte ${index + 1} is ${byte}.`, {
      hint: 'Convert the text to UTF-8.',
      cause,
    });
  }
}
