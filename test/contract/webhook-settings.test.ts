import * as v from 'valibot';
import { expect, it } from 'vitest';
import { toSettings } from '../../src/contract/fields.ts';
import { describeWebhook } from '../../src/contract/webhook-settings.ts';

it('describeWebhook describes the settings that are given, and no others', () => {
  const url = 'https://shop.example/hooks';
  expect(describeWebhook({ url, events: ['order.shipped', '*'], headers: { A: 'b', C: 'd' } })).toEqual({
    URL: [url],
    Events: ['order.shipped, * (every type)'],
    Headers: ['A: b', 'C: d'],
    TLS: [],
    State: [],
  });
  const lines = describeWebhook({ skip_verify: true, disabled: true });
  expect(lines).toMatchObject({ URL: [], TLS: ['certificate not verified'], State: ['disabled'] });
  expect(describeWebhook({ skip_verify: false, disabled: false })).toMatchObject({ TLS: [], State: [] });
});

it('a setting keeps that it can be null, and loses that it can be omitted', () => {
  const nullable = v.nullable(v.string());
  expect(toSettings({ region: nullable, note: v.optional(nullable, null) })).toEqual({
    region: nullable,
    note: nullable,
  });
});
