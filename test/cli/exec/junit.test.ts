import { describe, expect, it } from 'vitest';
import { renderJUnit } from '../../../src/cli/exec/junit.ts';
import { aDetail, anAttempt } from '../fake-context.ts';

const succeeded = { outcome: 'succeeded', response_status: 200, error: null } as const;

describe('deliveries as JUnit XML', () => {
  it('are a suite for each endpoint, with totals that hold for it and for all', () => {
    const text = renderJUnit([
      aDetail({ status: 'succeeded', attempts: [anAttempt({ ...succeeded, duration_ms: 1_250 })] }),
      aDetail({ status: 'failed', settled_reason: 'window_elapsed', attempts: [anAttempt()] }),
      aDetail({
        url: 'http://b',
        webhook_id: 'wh_b',
        status: 'canceled',
        settled_reason: 'endpoint_deleted',
      }),
    ]);
    expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="svc deliveries"/);
    expect(listTags(text, 'testsuites')).toEqual([
      'name="svc deliveries" tests="3" failures="1" errors="0" skipped="1" time="1.262"',
    ]);
    expect(listTags(text, 'testsuite')).toEqual([
      expect.stringMatching(/^name="http:\/\/localhost:3000\/webhooks \(wh_\w+\)" tests="2" failures="1" /),
      'name="http://b (wh_b)" tests="1" failures="0" errors="0" skipped="1" time="0.000"',
    ]);
    expect(listTags(text, 'testcase')[0]).toMatch(
      /^classname="http:\/\/localhost:3000\/webhooks" name="order\.shipped del_\w+" time="1\.250"$/,
    );
  });

  it('tell of a failure what each attempt came to', () => {
    const attempts = [
      anAttempt(),
      anAttempt({ number: 2, outcome: 'timeout', response_status: null, error: 'no answer in 15s' }),
    ];
    const text = renderJUnit([aDetail({ attempts })]);
    expect(text).toContain('<failure type="timeout" message="pending: no answer in 15s">');
    expect(text).toContain('#1 2026-11-20T11:57:00.010Z http_error 503: the receiver answered 503');
    expect(text).toContain('#2 2026-11-20T11:57:00.010Z timeout: no answer in 15s');
    expect(renderJUnit([aDetail({})])).toContain('message="pending: it was not attempted"');
  });

  it('are well-formed whatever a receiver answered', () => {
    const error = 'a <b> & "c"\u0000\u001b[31m\ud800\ufffe \u{1f600}\nd';
    const text = renderJUnit([aDetail({ attempts: [anAttempt({ error })] })]);
    expect(text).toContain('a &lt;b&gt; &amp; &quot;c&quot;\ufffd\ufffd[31m\ufffd\ufffd \u{1f600}&#10;d');
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ud800-\udfff\ufffe]/u);
  });

  it('may be none', () => {
    expect(renderJUnit([])).toMatch(/<testsuites name="svc deliveries" tests="0" [^>]*\/>\n$/);
  });
});

/** The attributes of each such tag, in order. */
function listTags(xml: string, name: string): string[] {
  return Array.from(
    xml.matchAll(new RegExp(`<${name} ([^>]*?)/?>`, 'g')),
    ([, attributes = '']) => attributes,
  );
}
