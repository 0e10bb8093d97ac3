import { describe, expect, it } from 'vitest';
import { schemes } from '../../../src/domain/signature/schemes.ts';
import { serializers } from '../../../src/receiver/delivery-factory.ts';
import type { ReceiverResponse } from '../../../src/receiver/receiver-client.ts';
import { type CheckSetup, respond, runCheck } from './check-setup.ts';

const forms = Object.values(serializers);
const [, python] = forms;

describe('signature.genuine', () => {
  it('signature.genuine keeps the form of the body that the receiver accepts', async () => {
    const run = await runCheck('signature.genuine', { responses: [400, 204] });
    expect(run).toMatchObject({ status: 'passed', received: 'status 204' });
    expect(run.sent).toHaveLength(2);
    expect(run.factory.serialize).toBe(python);
  });

  it.each<[string, ReceiverResponse, RegExp]>([
    ['a timeout', respond(null), /^Your receiver does not respond to a valid delivery in time\. Return/],
    [
      'a TLS error',
      respond(null, { failure: 'tls' }),
      /^No delivery reaches your receiver, because its TLS connection fails\. Correct its certificate/,
    ],
    [
      'no connection',
      respond(null, { failure: 'connection' }),
      /^No delivery reaches your receiver\. Check the URL/,
    ],
    ['a redirect', respond(300), /^Your receiver redirects/],
    ['a permanent redirect', respond(399), /^Your receiver redirects/],
    ['an error', respond(500), /^Your receiver fails on a valid delivery\. Check its log\.$/],
    ['an informational status', respond(199), /^Your receiver fails on a valid delivery/],
    [
      'a late rejection',
      respond(400, { durationMs: 5_001 }),
      /^Your receiver rejects a valid delivery, and does not respond in time/,
    ],
  ])('signature.genuine sends one delivery and says what %s means', async (_, response, meaning) => {
    const run = await runCheck('signature.genuine', { responses: () => response });
    expect(run).toMatchObject({ status: 'failed', meaning: expect.stringMatching(meaning) });
    expect(run.sent).toHaveLength(1);
  });

  it.each([404, 405])(
    'signature.genuine tries each form of the body before it blames the path for %i',
    async (status) => {
      const run = await runCheck('signature.genuine', { responses: [status] });
      expect(run.meaning).toMatch(/^Nothing accepts POST requests at this path/);
      expect(run.sent).toHaveLength(forms.length);
    },
  );

  /** Accepts only the message with this index after those of the check itself. */
  const accept = (index: number): CheckSetup => ({
    responses: (_, sent) => respond(sent === forms.length + index ? 204 : 400, { durationMs: 5_000 }),
  });
  const otherSchemes = Object.keys(schemes).filter((name) => name !== 'svc');

  it.each([
    [0, `Your receiver verifies the scheme ${otherSchemes[0]}. Pass --scheme ${otherSchemes[0]}, `],
    [
      otherSchemes.length,
      'Your receiver makes one mistake: the body was changed (its JSON was parsed and serialized again, as json.dumps of Python does,',
    ],
  ])('signature.genuine finds the mistake of a receiver that accepts attempt %i', async (index, meaning) => {
    const run = await runCheck('signature.genuine', accept(index));
    expect(run).toMatchObject({
      status: 'failed',
      received: 'status 400',
      meaning: expect.stringContaining(meaning),
    });
    expect(run.sent).toHaveLength(forms.length + index + 1);
  });

  it('signature.genuine tries other schemes, known mistakes and pairs of them', async () => {
    const known = await runCheck('signature.genuine', { responses: [400] });
    expect(known.meaning).toMatch(
      /^Your receiver rejects a valid delivery\. Check that it uses the secret given with --secret/,
    );
    expect(known.sent.length).toBeGreaterThan(400);
  });
});
