import { expect, it } from 'vitest';
import { decodeText } from '../../src/domain/decode-text.ts';

it('text is decoded without its byte order mark', () => {
  expect(decodeText(Buffer.from('\ufeffcafé 🎉 \ufffd'), 'The file')).toBe('café 🎉 \ufffd');
});

it.each([
  ['Latin-1', Buffer.from('caf\xe9', 'latin1'), 'byte 4 is 0xe9'],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'byte 1 is 0xff'],
  ['a half surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80]), 'byte 2 is 0xed'],
  ['a text that was cut off', Buffer.from('é 🎉').subarray(0, 5), 'byte 4 is 0xf0'],
])('%s is refused with the first byte that is not UTF-8', (_, bytes, problem) => {
  expect(() => decodeText(bytes, 'The file')).toThrow(
    expect.objectContaining({ code: 'usage', message: `The file is not UTF-8: ${problem}.` }),
  );
});
