/** Reads what a receiver reports about its verification: a reason of `svc-emulator/signature`, or the digest that it computed. */
import type { Attempt } from '../contract/delivery-schemas.ts';
import type { AttemptFacts, ShownMistake } from '../diagnosis/judge-attempt.ts';
import { readResponse } from '../diagnosis/read-response.ts';
import { say } from '../diagnosis/sentences.ts';
import { readDigest } from '../domain/signature/digest-forms.ts';
import { findRemedy } from '../domain/signature/mistakes.ts';
import { refusalReasons } from '../domain/signature/refusals.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { digestBytes } from '../domain/signature/signature-header.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { verifyDelivery } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';

type Report = Pick<AttemptFacts, 'reported' | 'unknownDigest' | 'containsSentDigest'>;

/** Texts that can be a digest of SHA-1, SHA-256 or SHA-512 in hex or base64, with a prefix such as `v1=`. */
const DIGEST = /(?:(?:v\d\w{0,7}|sha\d{1,3})[=,])?[A-Za-z0-9+/_-]{27,128}={0,2}/g;
/** Limits the work: each digest is compared with many mistakes. */
const MAX_DIGESTS = 4;
/** A longer body is a page with other long words. */
const MAX_CHARS = 16_000;

export function readReport(sandbox: Sandbox, row: DeliveryRow, attempt: Attempt, apiKey: string): Report {
  const scheme = sandbox.rules.signature;
  const { request, response, number } = attempt;
  const text = response?.encoding === 'utf8' && response.body.length <= MAX_CHARS ? response.body : '';
  const { digests } = readSignature(request.headers, { id: row.id, body: request.body, scheme });
  const isSent = (candidate: string) => digests.some((digest) => candidate.includes(digest));
  const candidates = [...new Set(text.match(DIGEST))];
  const diagnoses = candidates
    .filter((candidate) => !isSent(candidate))
    .slice(0, MAX_DIGESTS)
    .map((digest) => ({
      digest,
      ...verifyDelivery(sandbox, { id: row.id, attempt: number, computed: digest, secrets: [apiKey] }),
    }));
  for (const { digest, reason, detail, remedy } of diagnoses) {
    if (reason === null || remedy === null || unknownReasons.includes(reason)) continue;
    const reported = { mistake: { reason, detail, remedy }, evidence: say('digest_of_mistake', { digest }) };
    return { reported, unknownDigest: null, containsSentDigest: false };
  }
  const unknown = diagnoses.find(
    ({ reason, digest }) => reason === 'signature_mismatch' && isDigestOfScheme(digest, scheme),
  );
  return {
    reported: findReportedReason(attempt, scheme),
    unknownDigest: unknown?.digest ?? null,
    containsSentDigest: unknown === undefined && candidates.some(isSent),
  };
}

const unknownReasons: readonly string[] = ['signature_mismatch', 'digest_malformed'];

/** Whether it has the length of a digest, so that an ID or the hash of a commit is not one. */
function isDigestOfScheme(text: string, { algorithm }: SignatureScheme): boolean {
  const withoutPrefix = text.replace(/^\w+[=,](?=.)/, '');
  return readDigest(withoutPrefix).some(({ digest }) => digest.length === digestBytes[algorithm]);
}

/** Finds a reason of `svc-emulator/signature` in the messages of the response. */
function findReportedReason(attempt: Attempt, scheme: SignatureScheme): ShownMistake | null {
  const words = readResponse(attempt).messages.flatMap(
    ({ text }) => text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [],
  );
  const reason = refusalReasons.find((candidate) => words.includes(candidate));
  const remedy = reason && findRemedy(reason, scheme);
  if (!reason || !remedy) return null;
  return {
    mistake: { reason, detail: `The receiver reported ${reason}.`, remedy },
    evidence: say('reported_reason', { reason }),
  };
}
