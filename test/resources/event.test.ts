import { describe, expect, it } from 'vitest';
import { type EventValues, toEnvelope, toEventBody } from '../../src/resources/event.ts';

const facts: EventValues = {
  id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  type: 'order.shipped',
  payload: '{"total":12.50,"big":9007199254740993}',
  created_at: Date.UTC(2026, 10, 20, 23, 6, 0, 7),
};

describe('the envelope', () => {
  it('the envelope has the type, the workspace and the creation time, and contains the event [§2.envelope, envelope, event.record]', () => {
    const { id, workspace_id, type } = facts;
    const created_at = '2026-11-20T23:06:00.007Z';
    const payload = { total: 12.5, big: 9007199254740992 };
    expect(JSON.parse(toEnvelope(facts))).toEqual({
      ...{ type, workspace_id, created_at },
      data: { id, workspace_id, type, payload, created_at },
    });
  });

  it('the envelope keeps the text of the payload [envelope]', () => {
    expect(toEnvelope(facts)).toContain(`"payload":${facts.payload},`);
  });
});

it('the body of an event has the payload unchanged, in the field of the gap event.body', () => {
  const payload = '{ "price": 12.50, "text": "\\u00e9" }';
  expect(
    toEventBody({ settings: {}, type: 'a.b', workspaceId: 'ws_1', payloadField: 'data"', payload }),
  ).toBe(`{"type":"a.b","workspace_id":"ws_1","data\\"":${payload}}`);
});
