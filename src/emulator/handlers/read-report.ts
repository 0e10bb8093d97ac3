/** Reads the digest that a receiver computed in its response. */

import type { Report } from '../../diagnosis/judge-attempt.ts';
import { say } from '../../diagnosis/sentences.ts';
import type { Attempt } from '../../resources/attempt.ts';
import { isDigest } from '../../signature/digest-forms.ts';
import { digestBytes } from '../../signature/signature-header.ts';
import { readSignature } from '../../store/attempts.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { verifyDelivery } from '../service/verification.ts';

/** Texts that can be a digest in hex or base64, with a prefix such as `v1=`. One of `Sum` of Go is as long as the signed content. */
const DIGEST = /(?:(?:v\d\w{0,7}|sha\d{1,3})[=,])?[A-Za-z0-9+/_-]{27,}={0,2}/g;
/** Longer than one of SHA-512 in hex, with its prefix. */
const LONG = /^(.{64}).{80,}$/;
const PREFIX = /^\w+[=,](?=.)/;
/** Limits the work: each digest is compared with many mistakes. */
const MAX_DIGESTS = 4;
/** A longer body is a page with other long words. */
const MAX_CHARS = 16_000;

export function readReport(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: Attempt,
  apiKey: string,
): Report | null {
  const scheme = sandbox.rules.signature;
  const { request, response, number } = attempt;
  const text = response?.encoding === 'utf8' && response.body.length <= MAX_CHARS ? response.body : '';
  const { digests } = readSignature(request.headers, { id: row.id, body: request.body, scheme });
  const isSent = (candidate: string) => digests.some((digest) => candidate.includes(digest));
  const candidates = [...new Set(text.match(DIGEST))].filter((candidate) => !isSent(candidate));
  let unknownDigest: string | null = null;
  for (const digest of candidates.slice(0, MAX_DIGESTS)) {
    const input = { id: row.id, attempt: number, computed: digest, secrets: [apiKey] };
    const { reason, detail, remedy } = verifyDelivery(sandbox, input);
    if (reason === 'signature_mismatch') {
      const isLong = isDigest(digest.replace(PREFIX, ''), [digestBytes[scheme.algorithm]]);
      if (isLong) unknownDigest ??= digest;
    } else if (reason !== null && remedy !== null && reason !== 'digest_malformed') {
      return {
        mistake: { reason, detail, remedy },
        detail,
        evidence: [say('digest_of_mistake', { digest: digest.replace(LONG, '$1…') })],
      };
    }
  }
  if (unknownDigest === null) return null;
  const detail = PREFIX.test(unknownDigest) ? say('digest_returned') : null;
  return { mistake: null, detail, evidence: [say('digest_unknown', { digest: unknownDigest })] };
}
