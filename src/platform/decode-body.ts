/** Decodes compressed bodies, so that everything reads and shows their text. */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Limits what a small compressed body can become. */
const MAX_DECODED_BYTES = 1024 * 1024;

/**
 * The text of a compressed body, as far as it was received; the same bytes if they cannot be decoded.
 * @param options `isComplete` returns the same bytes also if the body is truncated, because a short text can look like a truncated body.
 */
export function decodeBody(
  body: Buffer,
  contentEncoding: string,
  { isComplete = false, maxOutputLength = MAX_DECODED_BYTES } = {},
): Buffer {
  const { Z_FINISH, Z_SYNC_FLUSH, BROTLI_OPERATION_FINISH, BROTLI_OPERATION_FLUSH } = constants;
  const options = { finishFlush: isComplete ? Z_FINISH : Z_SYNC_FLUSH, maxOutputLength };
  try {
    switch (contentEncoding.trim().toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, options);
      case 'deflate':
        return body[0] === 0x78 ? inflateSync(body, options) : inflateRawSync(body, options);
      case 'br':
        return brotliDecompressSync(body, {
          finishFlush: isComplete ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH,
          maxOutputLength,
        });
      default:
        return body;
    }
  } catch {
    return body;
  }
}
