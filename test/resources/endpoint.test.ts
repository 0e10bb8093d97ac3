import { expect, it } from 'vitest';
import { describeFields } from '../../src/resources/define-resource.ts';
import { describeEndpoint } from '../../src/resources/endpoint.ts';
import { keyTable } from '../../src/resources/key.ts';

it('describeEndpoint describes the settings that are given, and no others', () => {
  const url = 'https://shop.example/hooks';
  expect(describeEndpoint({ url, events: ['order.shipped', '*'], headers: { A: 'b', C: 'd' } })).toEqual({
    URL: [url],
    Events: ['order.shipped, * (every type)'],
    Headers: ['A: b', 'C: d'],
    TLS: [],
    State: [],
  });
  const lines = describeEndpoint({ skip_verify: true, disabled: true });
  expect(lines).toMatchObject({ URL: [], TLS: ['certificate not verified'], State: ['disabled'] });
  expect(describeEndpoint({ skip_verify: false, disabled: false })).toMatchObject({ TLS: [], State: [] });
});

it('describeFields omits the fields that have no value', () => {
  expect(describeFields(keyTable, {})).toEqual({});
});
