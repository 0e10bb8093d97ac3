// Joins screenshots into one animated PNG. Each frame contains only the rectangle that has changed, and in it only the pixels that have
// changed (https://www.w3.org/TR/png-3/#apng-frame-based-animation).
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Color types by number of bytes of a pixel, with 8 bits for each channel. */
const RGB = 2;
const RGBA = 6;

/**
 * @param frames PNG images of the same size, each with the time that it is shown, in milliseconds
 * @returns the animation, which is repeated forever
 */
export function encodeAnimatedPng(frames) {
  const images = [];
  for (const { png, ms } of frames) {
    const image = decodePng(png);
    const last = images.at(-1);
    if (last?.pixels.equals(image.pixels)) last.ms += ms;
    else images.push({ ...image, ms });
  }
  const { width, height } = images[0];
  let number = 0;
  const chunks = images.flatMap((image, index) => {
    const rectangle = index === 0 ? { x: 0, y: 0, width, height } : findChange(images[index - 1], image);
    const data = deflateSync(toRows(image, rectangle, images[index - 1]), { level: 9 });
    const control = encodeFrameControl(number++, rectangle, image.ms);
    if (index === 0) return [control, encodeChunk('IDAT', data)];
    return [control, encodeChunk('fdAT', Buffer.concat([toUint32(number++), data]))];
  });
  return Buffer.concat([
    SIGNATURE,
    encodeChunk('IHDR', Buffer.concat([toUint32(width, height), Buffer.from([8, RGBA, 0, 0, 0])])),
    encodeChunk('acTL', toUint32(images.length, 0)),
    ...chunks,
    encodeChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The pixels of a PNG that is not interlaced, as RGBA. */
function decodePng(png) {
  const data = [];
  let header = Buffer.alloc(0);
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = content;
    if (type === 'IDAT') data.push(content);
    at += length + 12;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const colorType = header[9];
  if (header[8] !== 8 || header[12] !== 0 || (colorType !== RGB && colorType !== RGBA))
    throw new Error('Not a PNG with 8 bits for each channel that is not interlaced.');
  const size = colorType === RGB ? 3 : 4;
  const rows = reverseFilters(inflateSync(Buffer.concat(data)), width * size, size);
  const pixels = Buffer.alloc(width * height * 4, 255);
  for (let index = 0; index < width * height; index++)
    rows.copy(pixels, index * 4, index * size, (index + 1) * size);
  return { width, height, pixels };
}

/** Adds to each byte what its filter predicts from the bytes to the left and above (§9 of the PNG specification). */
function reverseFilters(filtered, rowLength, size) {
  const rows = Buffer.alloc((filtered.length / (rowLength + 1)) * rowLength);
  for (let row = 0; row * rowLength < rows.length; row++) {
    const filter = filtered[row * (rowLength + 1)];
    for (let column = 0; column < rowLength; column++) {
      const at = row * rowLength + column;
      const left = column < size ? 0 : rows[at - size];
      const above = row === 0 ? 0 : rows[at - rowLength];
      const corner = row === 0 || column < size ? 0 : rows[at - rowLength - size];
      const predicted = [0, left, above, (left + above) >> 1, predictPaeth(left, above, corner)][filter];
      rows[at] = filtered[row * (rowLength + 1) + 1 + column] + predicted;
    }
  }
  return rows;
}

/** Whichever of the three is closest to their linear estimate. */
function predictPaeth(left, above, corner) {
  const estimate = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(estimate - value));
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** The smallest rectangle with all pixels that differ. */
function findChange(before, { width, height, pixels }) {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let index = 0; index < width * height; index++) {
    if (pixels.readUInt32BE(index * 4) === before.pixels.readUInt32BE(index * 4)) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), y];
  }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** The pixels of a rectangle without filters. Those that are the same as before are transparent, which compresses best. */
function toRows({ width: imageWidth, pixels }, { x, y, width, height }, before) {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const from = ((y + row) * imageWidth + x + column) * 4;
      const pixel = pixels.readUInt32BE(from);
      if (pixel !== before?.pixels.readUInt32BE(from))
        rows.writeUInt32BE(pixel, row * (1 + width * 4) + 1 + column * 4);
    }
  }
  return rows;
}

/** A frame stays until the next one, which is drawn over it. */
function encodeFrameControl(number, { x, y, width, height }, ms) {
  const content = Buffer.concat([toUint32(number, width, height, x, y), Buffer.alloc(6)]);
  content.writeUInt16BE(ms, 20);
  content.writeUInt16BE(1_000, 22);
  content[25] = number === 0 ? 0 : 1;
  return encodeChunk('fcTL', content);
}

function encodeChunk(type, content) {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  return Buffer.concat([toUint32(content.length), typed, toUint32(crc32(typed))]);
}

function toUint32(...values) {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => void bytes.writeUInt32BE(value, index * 4));
  return bytes;
}
