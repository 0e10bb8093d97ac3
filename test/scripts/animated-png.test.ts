/** The animated PNG of scripts/screenshots.mjs. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';

interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}
const script = join(import.meta.dirname, '../../scripts/animated-png.mjs');
const { encodeAnimatedPng }: { encodeAnimatedPng(frames: readonly Frame[]): Buffer } = await import(
  pathToFileURL(script).href
);

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content]);
  const result = Buffer.alloc(typed.length + 8);
  result.writeUInt32BE(content.length);
  typed.copy(result, 4);
  result.writeUInt32BE(crc32(typed), typed.length + 4);
  return result;
}

/** A PNG with 2 by 2 pixels, whose second row has the filter that adds the pixel above. */
function createPng([first, second]: readonly (readonly number[])[]): Buffer {
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
  const data = deflateSync(Buffer.from([0, ...(first ?? []), 2, ...(second ?? [])]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function readChunks(png: Buffer): { type: string; content: Buffer }[] {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    expect(crc32(png.subarray(at + 4, at + 8 + length))).toBe(png.readUInt32BE(at + 8 + length));
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      content: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

it('an animated PNG contains only the pixels of a frame that have changed, and a repeated frame only once', () => {
  const first = createPng([
    [10, 20, 30, 40, 50, 60],
    [1, 1, 1, 0, 0, 0],
  ]);
  const second = createPng([
    [10, 20, 30, 40, 50, 60],
    [1, 1, 1, 5, 5, 5],
  ]);
  const animation = encodeAnimatedPng([
    { png: first, ms: 100 },
    { png: first, ms: 50 },
    { png: second, ms: 70 },
  ]);
  const chunks = readChunks(animation);
  expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND']);
  const [, count, control, image, change, pixels] = chunks.map(({ content }) => content);
  expect(count?.readUInt32BE()).toBe(2);
  expect(control?.readUInt16BE(20)).toBe(150);
  expect([...inflateSync(image ?? '')]).toEqual([
    ...[0, 10, 20, 30, 255, 40, 50, 60, 255],
    ...[0, 11, 21, 31, 255, 40, 50, 60, 255],
  ]);
  const rectangle = [4, 8, 12, 16].map((at) => change?.readUInt32BE(at));
  expect(rectangle).toEqual([1, 1, 1, 1]);
  expect([...inflateSync(pixels?.subarray(4) ?? '')]).toEqual([0, 45, 55, 65, 255]);
});
