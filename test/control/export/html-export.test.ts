import { expect, it } from 'vitest';
import type { ExportedDelivery } from '../../../src/contract/export-schemas.ts';
import { aDetail, anAttempt } from '../../cli/fake-context.ts';
import { hostileDelivery, renderPage } from './exported-page.ts';

const delivery: ExportedDelivery = {
  ...aDetail({ status: 'failed', settled_reason: 'window_elapsed', attempts: [anAttempt()] }),
  body: '{"a":1}',
};

it('a page shows the status, the attempts, the headers and the bodies of a delivery', async () => {
  const page = await renderPage(delivery);
  expect(page).toContain('<h2>order.shipped</h2> <strong class="failed">failed');
  expect(page).toContain('<h3>Attempt 1</h3> <strong class="failed">503</strong>');
  expect(page).toContain('POST http://localhost:3000/webhooks\nService-Signature: v1=00');
  expect(page).toContain('&quot;n&quot;: 9007199254740993');
  expect(page).toContain('HTTP 503\nx-a: b</pre>\n<pre>busy</pre>');
  expect(page).toContain('Only the first part of the body is stored.');
});

it('a page shows why the last attempt failed at the top of the delivery', async () => {
  const causeOf = (page: string) => /<span class="cause failed">(.*)<\/span><\/summary>/.exec(page)?.[1];
  const fault = { id: 'flt_1', kind: 'error-response' as const };
  const succeeded = anAttempt({ outcome: 'succeeded', response_status: 200, error: null });
  expect(causeOf(await renderPage(delivery))).toBe('Your receiver returned 503.');
  expect(causeOf(await renderPage({ ...delivery, attempts: [anAttempt({ fault })] }))).toBe(
    'An injected fault returned 503. Your receiver was not called.',
  );
  expect(causeOf(await renderPage({ ...delivery, attempts: [anAttempt(), succeeded] }))).toBeUndefined();
});

it('a page says which times are schedule time, whether an attempt was sent, and what started it', async () => {
  const fault = { id: 'flt_1', kind: 'drop' as const };
  const attempts = [
    anAttempt({ fault }),
    anAttempt({ number: 2 }),
    anAttempt({ number: 3, trigger: 'manual' }),
  ];
  const page = await renderPage({ ...delivery, attempts });
  const termsOf = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, text]) => text);
  expect(page).toContain("Schedule time is the emulator's clock");
  expect(termsOf(/<dt>Started by<\/dt><dd>(.*)<\/dd>/g)).toEqual(['event', 'retry schedule', 'replay']);
  expect(termsOf(/<dt>(.*\(real time\))<\/dt>/g)).toEqual([
    'Not sent, ended (real time)',
    'Sent (real time)',
    'Sent (real time)',
  ]);
  expect(page).toContain('<dt>Created (schedule time)</dt>');
  expect(page).toContain('<dt>Due (schedule time)</dt>');
});

it('a page of one delivery is open, and one of several deliveries is folded', async () => {
  expect((await renderPage(delivery)).match(/<details open>/g)).toHaveLength(2);
  expect(await renderPage(delivery, delivery)).not.toContain('<details open>');
});

it('a page shows the body of a delivery without attempts', async () => {
  expect(await renderPage({ ...delivery, attempts: [] })).toContain(
    '<h3>Body</h3>\n<pre>{\n  &quot;a&quot;: 1\n}</pre>',
  );
});

it('a page needs no other file and has no scripts', async () => {
  const page = await renderPage(delivery);
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|\shref=|@import|url\(/);
  expect(page).toMatch(
    /http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
  );
  expect(Buffer.byteLength(page)).toBeLessThan(6_000);
});

it('hostile text in a delivery becomes visible text', async () => {
  const page = await renderPage(hostileDelivery);
  const tagsOf = (html: string) => new Set(html.match(/<\/?[a-z!][^\s>]*/gi));
  expect(tagsOf(page)).toEqual(tagsOf(await renderPage(delivery)));
  expect(page).not.toMatch(/[^\P{C}\n]/u);
  expect(page).toContain('\\u202e');
  expect(page).toContain('&lt;/script&gt;&lt;script&gt;');
});
