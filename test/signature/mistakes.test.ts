import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { diagnoseDigest } from '../../src/signature/diagnose-digest.ts';
import { computeChangedDigest, findMistakes, listPairs } from '../../src/signature/find-mistakes.ts';
import { findRejectedStart } from '../../src/signature/find-rejected-start.ts';
import { isOnlySent, listMistakes, type Mistake, type MistakeInput } from '../../src/signature/mistakes.ts';
import {
  chooseProbeTime,
  listCounterexamples,
  listProbes,
  signWithMistakes,
} from '../../src/signature/probe-requests.ts';
import { type SchemeName, schemes } from '../../src/signature/schemes.ts';
import { createSignatureHeaders } from '../../src/signature/sign.ts';
import { formatTimestamp } from '../../src/signature/signature-header.ts';
import { verifyMessage } from '../../src/signature/verify.ts';

const secret = 'whsec_c2VjcmV0X29mX3RoaXJ0eV90d29fYnl0ZXM';
const message = {
  id: 'del_1',
  timestamp: '2026-11-20T23:06:00Z',
  body: '{"type":"a.b","data":{"payload":{"n":1.0,"z":{},"url":"a/b","text":"<é>"}}}',
};
const input: MistakeInput = {
  scheme: schemes.svc,
  message,
  secrets: [secret],
  otherSecrets: [
    { name: 'the current one', secret },
    { name: 'the secret of wh_2', secret: 'whsec_b3RoZXI' },
    { name: 'the API key', secret: 'svc_test_0123' },
  ],
};
const schemeNames: readonly SchemeName[] = ['svc', 'stripe', 'github', 'slack', 'standard-webhooks'];

const schemeInput = (name: SchemeName): MistakeInput => ({
  ...input,
  scheme: schemes[name],
  message: { ...message, timestamp: name === 'svc' ? message.timestamp : '1795215960' },
});
/** How a mistake is named: the text of its row. */
const nameOf = ({ description }: Mistake) => description;
const listSingles = (given: MistakeInput) => listMistakes(given).filter((mistake) => !isOnlySent(mistake));

describe('the known mistakes in a signature', () => {
  it.each(schemeNames)(
    'each mistake changes the digest of a delivery with the scheme %s, or only its headers',
    (name) => {
      const correct = computeChangedDigest(schemeInput(name), secret, []);
      const wrong = listMistakes(schemeInput(name)).filter((mistake) => {
        const isSame = computeChangedDigest(schemeInput(name), secret, [mistake]).equals(correct);
        return isSame !== isOnlySent(mistake);
      });
      // Decoding base64 ignores white space and quotes, and stops at an equals sign.
      expect(name === 'standard-webhooks' ? [] : wrong.map(nameOf)).toEqual([]);
    },
  );

  /** The first mistakes of each kind, and a part of the others. Those with the same digest as another are left out. */
  function sample(given: MistakeInput): Mistake[] {
    const digests = new Set([computeChangedDigest(given, secret, []).toString('hex')]);
    const counts = new Map<string, number>();
    return listSingles(given).filter((mistake) => {
      const kind = `${mistake.part} ${mistake.reason}`;
      const count = counts.get(kind) ?? 0;
      const digest = computeChangedDigest(given, secret, [mistake]).toString('hex');
      counts.set(kind, count + 1);
      if (digests.has(digest)) return false;
      digests.add(digest);
      return count < 6 || count % 20 === 0;
    });
  }

  it.each<SchemeName>(['svc', 'github', 'standard-webhooks'])(
    'verify --computed names each kind of mistake in a delivery with the scheme %s',
    (name) => {
      const given = schemeInput(name);
      for (const mistake of sample(given)) {
        const computedDigest = computeChangedDigest(given, secret, [mistake]).toString(given.scheme.encoding);
        const { ok, reason, detail } = diagnoseDigest({ ...given, computedDigest, sentDigests: [] });
        expect([ok, reason]).toEqual([false, mistake.reason]);
        expect(detail).toContain(`The receiver makes one mistake: ${mistake.description}.`);
      }
    },
  );

  it.each<SchemeName>(['svc', 'github', 'standard-webhooks'])(
    'verify names each kind of mistake of a signature with the scheme %s',
    (name) => {
      const given = schemeInput(name);
      const now = Date.parse(message.timestamp);
      const unnamed = sample({ ...given, otherSecrets: [], isReceived: true }).filter((mistake) => {
        const headers = new Headers(signWithMistakes(given, [mistake]));
        const { scheme } = given;
        const { reason, detail } = verifyMessage({ payload: message.body, headers, scheme, secret, now });
        return (
          reason === 'signature_mismatch' ||
          // A digest of another length is refused before.
          !/It would match if|is valid for|was changed after signing|does not match the format/.test(detail)
        );
      });
      expect(unnamed.map(nameOf)).toEqual([]);
    },
  );

  it.each(schemeNames)(
    'each tenth request that is signed with a mistake in the scheme %s has the headers of the scheme and is invalid',
    (name) => {
      const { scheme } = schemeInput(name);
      const correct = createSignatureHeaders(scheme, [secret], schemeInput(name).message);
      const now = Date.parse(message.timestamp);
      for (const [index, { mistakes, headers }] of [...listProbes(schemeInput(name))].entries()) {
        if (index % 10 > 0 || mistakes[0]?.reason === 'other_scheme') continue;
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(Object.keys(correct)));
        const verified = { payload: message.body, headers: new Headers(headers), secret, scheme, now };
        const [mistake] = mistakes;
        // A timestamp in another format, or at another time, is signed correctly. Only receivers that expect it accept it.
        const isSigned =
          mistake?.change.signatureHeader !== undefined ||
          /^timestamp_(?:unreadable|misread|too_old)$/.test(String(mistake?.reason));
        const { ok, reason } = verifyMessage(verified);
        expect([
          mistake?.description,
          ok || /^timestamp_(?:too_old|in_future)$/.test(String(reason)),
        ]).toEqual([mistake?.description, isSigned]);
      }
    },
  );

  it('each request of a probe differs, likely mistakes come first, and pairs follow', () => {
    const probes = [...listProbes(input)];
    const texts = probes.map(({ headers }) => JSON.stringify(headers));
    expect(new Set(texts).size).toBe(texts.length);
    const pairIndex = probes.findIndex(({ mistakes }) => mistakes.length === 2);
    expect(probes.slice(pairIndex).every(({ mistakes }) => mistakes.length === 2)).toBe(true);
    const likely = probes.slice(0, 40).map(({ mistakes: [mistake] }) => mistake?.description ?? '');
    for (const text of [
      'as JSON.stringify',
      'as json.dumps of Python',
      'as json_encode of PHP',
      '"{body}"',
      'API key',
      'without whsec_',
      '"undefined"',
      'of wh_2',
      'double quotes',
      'seconds since',
      'prefix v1= was missing',
      'was empty',
      'sha1',
    ]) {
      expect(
        likely.filter((description) => description.includes(text)),
        text,
      ).not.toEqual([]);
    }
    expect(probes.length).toBeLessThan(1_100);
  });

  it.each([
    ['was expected as seconds since 1970', 'not a time'],
    ['was read as a time in UTC+01:00', new Date(Date.parse(message.timestamp) + 46 * 60_000)],
  ])('a timestamp that %s has a counterexample, which is signed correctly', (text, counterexample) => {
    const probe = [...listProbes(input)].find(({ mistakes: [mistake] }) =>
      mistake?.description.endsWith(text),
    );
    const timestamp =
      typeof counterexample === 'string'
        ? counterexample
        : formatTimestamp('iso8601', Number(counterexample));
    const signed = createSignatureHeaders(schemes.svc, [secret], { ...message, timestamp });
    expect(listCounterexamples(input, probe?.mistakes ?? []).map(({ headers }) => headers)).toEqual([signed]);
  });

  it('a random signature is written like that with the mistakes, with the same length and prefix', () => {
    for (const { mistakes, headers } of listProbes(input)) {
      const random = signWithMistakes(input, mistakes, true);
      expect(Object.keys(random)).toEqual(Object.keys(headers));
      for (const [name, value] of Object.entries(headers)) {
        expect(random[name]).toHaveLength(value.length);
      }
    }
  });

  it('a receiver that expects one of two signatures is a mistake only during a rotation', () => {
    const count = (given: Partial<MistakeInput>) =>
      listMistakes({ ...input, ...given }).filter(({ reason }) => reason === 'header_not_split').length;
    const secrets = [secret, 'whsec_previous'];
    expect([count({}), count({ secrets }), count({ secrets, scheme: schemes.slack })]).toEqual([0, 2, 0]);
  });

  it('each pair of mistakes in different parts is listed once, and no pair in the same part', () => {
    const mistakes = listSingles(input).slice(0, 60);
    const pairs = [...listPairs(mistakes)].map((pair) => pair.map(nameOf).sort().join('; '));
    const expected = mistakes.flatMap((first, index) =>
      mistakes
        .slice(index + 1)
        .filter(({ part }) => part !== first.part)
        .map((second) => [first, second].map(nameOf).sort().join('; ')),
    );
    expect(new Set(pairs)).toEqual(new Set(expected));
    expect(pairs).toHaveLength(expected.length);
  });

  it.each([
    ['the scheme signs none', { ...input, scheme: schemes.github }],
    ['the timestamp cannot be read', { ...input, message: { ...message, timestamp: 'yesterday' } }],
  ])('no other form of the timestamp is known if %s', (_, changed) => {
    const descriptions = listMistakes(changed).map(nameOf);
    expect(descriptions.filter((text) => text.includes('since 1970 ('))).toEqual([]);
  });

  it('the current time of the receiver is known only if the time of the attempt is', () => {
    const at = Date.parse('2026-11-20T23:06:01.250Z');
    const digest = (timestamp: string) =>
      createHmac('sha256', secret).update(`${timestamp}.${message.body}`).digest('hex');
    const diagnose = (timestamp: string, receivedAt?: MistakeInput['receivedAt']) =>
      diagnoseDigest({ ...input, receivedAt, computedDigest: digest(timestamp), sentDigests: [] }).detail;
    const receivedAt = { fromMs: at - 250, toMs: at + 250 };
    for (const timestamp of [
      String(at),
      '1795215961',
      new Date(at + 3).toISOString(),
      '2026-11-20T23:06:01Z',
    ]) {
      expect(diagnose(timestamp, receivedAt)).toContain(`the current time of the receiver (${timestamp})`);
    }
    expect(diagnose(String(at + 3))).toMatch(/^No known mistake/);
  });
});

describe('mistakes of receivers that were tried without the catalogue', () => {
  const body =
    '{"created_at":"2026-11-20T23:05:58.123Z","data":{"created_at":"2026-11-20T23:05:58.124Z","payload":{"n":12.50,"z":{},"q":"a+b%20c","t":"<b>O\'Neil & \\"co\\"</b>","path":"C:\\\\x"}}}';
  const { timestamp } = message;
  const underscored = 'whsec_ab12_cd34_ef56';
  const sign = (content: string | Buffer, key = underscored) =>
    createHmac('sha256', key).update(content).digest();
  const correct = (changed: string | Buffer = body, key = underscored) =>
    sign(Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(changed)]), key);

  const escapeHtml = (quote: string) => {
    const escapes = new Map(
      Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": quote }),
    );
    return body.replace(/[&<>"']/g, (char) => escapes.get(char) ?? '');
  };

  it.each<[string, Buffer]>([
    ['created_at of the body (2026-11-20T23:05:58.123Z)', sign(`2026-11-20T23:05:58.123Z.${body}`)],
    ['(2026-11-20 23:06:00)', sign(`2026-11-20 23:06:00.${body}`)],
    ['each {} became []', correct(body.replaceAll('{}', '[]'))],
    ['was escaped for HTML', correct(escapeHtml('&#039;'))],
    ['was escaped for HTML', correct(escapeHtml('&#x27;'))],
    ['was escaped for HTML', correct(escapeHtml('&#39;'))],
    ['was escaped for HTML', correct(escapeHtml("'"))],
    ['as addslashes of PHP does', correct(body.replaceAll(/["'\\]/g, (char) => `\\${char}`))],
    ['as Python does', correct(`b'${body.replaceAll(/['\\]/g, (char) => `\\${char}`)}'`)],
    ['as Go does', correct(`[${Buffer.from(body).join(' ')}]`)],
    ['Sum(content) of Go', Buffer.concat([Buffer.from(`${timestamp}.${body}`), sign('')])],
  ])('the digest of a receiver is explained: %s', (named, digest) => {
    const given = { ...input, secrets: [underscored], message: { ...message, body }, sentDigests: [] };
    expect(diagnoseDigest({ ...given, computedDigest: digest.toString('hex') }).detail).toContain(named);
  });

  it('a digest that Sum of Go appended to the content is recognized in base64, and not sent as a long header', () => {
    const digest = Buffer.concat([Buffer.from(`${timestamp}.${body}`), sign('', secret)]);
    const given = { ...input, message: { ...message, body } };
    const { detail } = diagnoseDigest({
      ...given,
      computedDigest: digest.toString('base64'),
      sentDigests: [],
    });
    expect(detail).toMatch(/2 mistakes: Sum\(content\) of Go .*; the digest was written in base64/);
    const countLong = (sent: string) =>
      [...listProbes({ ...input, message: { ...message, body: sent } })].filter(({ mistakes: [mistake] }) =>
        mistake?.description.startsWith('Sum('),
      ).length;
    expect(countLong(body)).toBeGreaterThan(0);
    expect(countLong(`{"a":"${'x'.repeat(4_000)}"}`)).toBe(0);
  });

  it('variants of HTML escapes that do not differ in a body are one mistake', () => {
    const descriptions = listMistakes({ ...input, message: { ...message, body: '{"a":1}' } }).map(nameOf);
    expect(descriptions.filter((text) => text.includes('&quot;') || text.includes('for HTML'))).toHaveLength(
      2,
    );
  });

  it('the digest of a receiver is explained: a signed number', () => {
    const digests = [...'abcdefghijklmnop'].map((id) => ({ id, digest: correct(body, id) }));
    const { id = '', digest = Buffer.alloc(32) } = digests.find((each) => (each.digest[0] ?? 0) > 127) ?? {};
    const text = (BigInt(`0x${digest.toString('hex')}`) - 2n ** 256n).toString(16);
    const given = { ...input, secrets: [id], message: { ...message, body }, sentDigests: [] };
    expect(diagnoseDigest({ ...given, computedDigest: text }).detail).toContain('as a signed number');
  });
});

describe('the time of a probe', () => {
  const now = Date.parse('2026-11-20T23:06:30Z');
  const choose = (digest: string) => chooseProbeTime(schemes.svc, secret, message, digest, now);

  it('a probe is signed at a recent time at which the digest begins like the rejected one', () => {
    const chosen = choose('ab'.repeat(32));
    const timestamp = new Date(chosen).toISOString().replace('.000', '');
    const changed = { scheme: schemes.svc, message: { ...message, timestamp } };
    expect(computeChangedDigest(changed, secret, []).toString('hex')[0]).toBe('a');
    expect(now - chosen).toBeLessThan(60_000);
  });

  it('a probe is signed now, if no recent signature is like the rejected one', () => {
    expect(choose('')).toBe(now);
  });

  it('no start of a digest is rejected if the digest covers no timestamp', async () => {
    const github = { scheme: schemes.github, secret, message, now };
    expect(await findRejectedStart(github, async () => 'rejected')).toBeNull();
  });
});

describe('precision', () => {
  /** Searches for all digests at once. */
  function search(given: MistakeInput, digests: ReadonlySet<string>) {
    const match = (digest: Buffer) => (digests.has(digest.toString('hex')) ? digest : null);
    return findMistakes(given, match, 4 * 1024 * 1024);
  }

  it.each(schemeNames)('no mistake in the scheme %s produces one of 5,000 random digests', (name) => {
    const random = Array.from({ length: 5_000 }, () => randomBytes(32).toString('hex'));
    expect(search(schemeInput(name), new Set(random))).toBeNull();
  });

  it.each<SchemeName>(['svc', 'standard-webhooks'])(
    'no mistake in the scheme %s produces the digest with one of 2,000 random secrets',
    (name) => {
      const given = schemeInput(name);
      const digests = Array.from({ length: 2_000 }, () =>
        computeChangedDigest(given, `whsec_${randomBytes(24).toString('base64')}`, []).toString('hex'),
      );
      expect(search(given, new Set(digests))).toBeNull();
      const ids = ['01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', '0'.repeat(40)];
      for (const computedDigest of [...ids, ...digests.slice(0, 1)]) {
        const { ok, reason } = diagnoseDigest({ ...given, computedDigest, sentDigests: [] });
        expect([ok, reason]).toEqual([
          false,
          expect.stringMatching(/^(?:signature_mismatch|digest_malformed)$/),
        ]);
      }
    },
  );

  it('the simplest of the mistakes with the same digest is named, and that others fit', () => {
    const given = { ...input, otherSecrets: [{ name: 'the secret of wh_3', secret: 'undefined' }] };
    const computedDigest = createHmac('sha256', 'undefined')
      .update(`${message.timestamp}.${message.body}`)
      .digest('hex');
    const { reason, detail } = diagnoseDigest({ ...given, computedDigest, sentDigests: [] });
    expect(reason).toBe('wrong_secret');
    expect(detail).toMatch(
      /the secret was the text "undefined".*The result is the same if the secret was the secret of wh_3\.$/,
    );
  });
});
