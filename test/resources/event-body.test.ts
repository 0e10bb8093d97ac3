import { expect, it } from 'vitest';
import { toEventBody } from '../../src/resources/event.ts';

it('the body of an event has the payload unchanged, in the field of the gap event.body', () => {
  const payload = '{ "price": 12.50, "text": "\\u00e9" }';
  expect(
    toEventBody({ settings: {}, type: 'a.b', workspaceId: 'ws_1', payloadField: 'data"', payload }),
  ).toBe(`{"type":"a.b","workspace_id":"ws_1","data\\"":${payload}}`);
});
