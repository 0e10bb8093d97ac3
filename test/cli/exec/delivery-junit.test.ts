import { describe, expect, it } from 'vitest';
import { renderDeliveryJUnit } from '../../../src/cli/exec/delivery-junit.ts';
import { settledReasonDescriptions } from '../../../src/domain/delivery.ts';
import { aDetail, anAttempt } from '../fake-context.ts';

const succeeded = { outcome: 'succeeded', response_status: 200, error: null } as const;

describe('renderDeliveryJUnit', () => {
  it('a JUnit report has one suite per endpoint, with totals for each suite and for the whole report', () => {
    const text = renderDeliveryJUnit(
      [
        aDetail({ status: 'succeeded', attempts: [anAttempt({ ...succeeded, duration_ms: 1_250 })] }),
        aDetail({ status: 'failed', settled_reason: 'window_elapsed', attempts: [anAttempt()] }),
        aDetail({
          url: 'http://b:1234/hooks?a=1',
          webhook_id: 'wh_b',
          status: 'canceled',
          settled_reason: 'endpoint_deleted',
        }),
      ],
      false,
    );
    expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="svc deliveries"/);
    expect(listTags(text, 'testsuites')).toEqual([
      'name="svc deliveries" tests="3" failures="1" errors="0" skipped="1" time="1.262"',
    ]);
    expect(listTags(text, 'testsuite')).toEqual([
      expect.stringMatching(/^name="endpoint 1: localhost\/webhooks" tests="2" failures="1" /),
      'name="endpoint 2: b/hooks" tests="1" failures="0" errors="0" skipped="1" time="0.000"',
    ]);
    expect(listTags(text, 'testcase')[0]).toBe(
      'classname="endpoint 1: localhost/webhooks" name="order.shipped #1" time="1.250"',
    );
  });

  it('JUnit names do not depend on IDs or ports, which appear in the output of each case', () => {
    const run = (suffix: string, port: number) =>
      renderDeliveryJUnit(
        ['a.b', 'c.d', 'a.b'].map((event_type, index) =>
          aDetail({
            ...{ id: `del_${suffix}${index}`, event_id: `evt_${suffix}${index}`, event_type },
            ...{ webhook_id: `wh_${suffix}`, url: `http://127.0.0.1:${port}/hooks`, status: 'succeeded' },
          }),
        ),
        false,
      );
    const names = (text: string) => [...listTags(text, 'testsuite'), ...listTags(text, 'testcase')];
    expect(names(run('x', 1))).toEqual(names(run('y', 2)));
    expect(
      names(run('x', 1))
        .slice(1)
        .map((tag) => /name="([^"]*)" time/.exec(tag)?.[1]),
    ).toEqual([...['a.b #1', 'c.d #1', 'a.b #2']]);
    expect(run('x', 1)).toContain(
      '<system-out>\ndel_x0 of evt_x0 to http://127.0.0.1:1/hooks (wh_x): succeeded\n</system-out>',
    );
  });

  it('a failed delivery passes if a failure is expected', () => {
    const failed = [aDetail({ status: 'failed', settled_reason: 'window_elapsed', attempts: [anAttempt()] })];
    expect(listTags(renderDeliveryJUnit(failed, true), 'testsuites')[0]).toContain('tests="1" failures="0"');
    expect(renderDeliveryJUnit(failed, true)).not.toContain('<failure');
    expect(renderDeliveryJUnit(failed, false)).toContain('<failure');
    expect(renderDeliveryJUnit([aDetail({ status: 'pending' })], true)).toContain('<failure type="pending"');
  });

  it('a failure lists the outcome of each attempt', () => {
    const attempts = [
      anAttempt(),
      anAttempt({ number: 2, outcome: 'timeout', response_status: null, error: 'no response in 15s' }),
    ];
    const text = renderDeliveryJUnit([aDetail({ attempts })], false);
    expect(text).toContain('<failure type="timeout" message="pending: no response in 15s">');
    expect(text).toContain('#1 2026-11-20T11:57:00.010Z the receiver responded with 503');
    expect(text).toContain('#2 2026-11-20T11:57:00.010Z no response in 15s');
    expect(renderDeliveryJUnit([aDetail({})], false)).toContain('message="pending: not attempted"');
  });

  it('a failure names the reason why the delivery failed', () => {
    const delivery = aDetail({ status: 'failed', settled_reason: 'window_elapsed', attempts: [anAttempt()] });
    expect(renderDeliveryJUnit([delivery], false)).toContain(
      `message="failed: ${settledReasonDescriptions.window_elapsed}: the receiver responded with 503"`,
    );
  });

  it('each attempt without an error shows its outcome', () => {
    const delivery = aDetail({ id: 'del_1', status: 'succeeded', attempts: [anAttempt(succeeded)] });
    expect(renderDeliveryJUnit([delivery], false)).toContain('#1 2026-11-20T11:57:00.010Z 200\n');
  });

  it('a pending replay of a delivery that succeeded shows the outcome of its last attempt', () => {
    const delivery = aDetail({ status: 'pending', attempts: [anAttempt(succeeded)] });
    expect(renderDeliveryJUnit([delivery], false)).toContain('message="pending: 200"');
  });

  it('a JUnit report is well-formed for every error text of a receiver', () => {
    const error = 'a <b> & "c"\u0000\u001b[31m\ud800\ufffe \u{1f600}\nd';
    const text = renderDeliveryJUnit([aDetail({ attempts: [anAttempt({ error })] })], false);
    expect(text).toContain('a &lt;b&gt; &amp; &quot;c&quot;\ufffd\ufffd[31m\ufffd\ufffd \u{1f600}&#10;d');
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ud800-\udfff\ufffe]/u);
  });

  it('a JUnit report can be empty', () => {
    expect(renderDeliveryJUnit([], false)).toMatch(/<testsuites name="svc deliveries" tests="0" [^>]*\/>\n$/);
  });
});

/** The attributes of each tag with this name, in order. */
function listTags(xml: string, name: string): string[] {
  return Array.from(
    xml.matchAll(new RegExp(`<${name} ([^>]*?)/?>`, 'g')),
    ([, attributes = '']) => attributes,
  );
}
