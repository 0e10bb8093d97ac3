import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';

async function open(options: TestEmulatorOptions = {}) {
  const emulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

const overloaded = { on: 'request', status: 503, count: 2 } as const;

describe('FaultRegistry', () => {
  it('faults and their fired counts survive a restart', async () => {
    const db = join(createTemporaryFolder(), 'sandbox.db');
    const first = await open({ db });
    const fault = await first.control.addFault(overloaded);
    expect((await first.api('GET', '/events')).status).toBe(503);
    await first.close();
    const { api, control } = await open({ db });
    expect((await control.listFaults({})).data).toEqual([{ ...fault, fired: 1 }]);
    expect([(await api('GET', '/events')).status, (await api('GET', '/events')).status]).toEqual([503, 200]);
  });

  it('a reset restores the faults of the baseline', async () => {
    const db = join(createTemporaryFolder(), 'sandbox.db');
    const first = await open({ db });
    const kept = await first.control.addFault(overloaded);
    await first.close();
    const { api, control } = await open({ db });
    await control.addFault({ on: 'request', status: 500 });
    await api('GET', '/events');
    await control.reset({});
    expect((await control.listFaults({})).data).toEqual([kept]);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await api('GET', '/events')).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  it('faults are deleted one by one, by workspace or all together', async () => {
    const { api, control } = await open();
    const { id: workspace_id } = await control.createWorkspace({ name: 'Other' });
    const { id } = await control.addFault({ on: 'request', status: 500 });
    await control.addFault({ on: 'delivery', kind: 'drop', workspace_id });
    await control.addFault({ on: 'request', status: 503 });
    await control.addFault({ on: 'delivery', kind: 'delay' });
    expect(await control.clearFaults({ id })).toEqual({ cleared: 1 });
    expect(await control.clearFaults({ workspace_id })).toEqual({ cleared: 1 });
    expect((await api('GET', '/events')).status).toBe(503);
    expect(await control.clearFaults({})).toEqual({ cleared: 2 });
    expect((await api('GET', '/events')).status).toBe(200);
    await expect(control.clearFaults({ id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['/events/evt_1', '/v1/*/{id}', '/*/evt_1', '/*'])('a path pattern can be %s', async (path) => {
    const { control } = await open();
    expect(await control.addFault({ on: 'request', status: 500, method: 'GET', path })).toMatchObject({
      path,
    });
  });

  it.each([
    [{ on: 'request' }, 'status is required unless latency_ms or drop is given.'],
    [{ on: 'request', kind: 'drop' }, 'kind applies only to faults in deliveries.'],
    [
      { on: 'request', drop: 'after', status: 500 },
      'drop cannot be combined with status: a dropped request has no response.',
    ],
    [{ on: 'request', latency_ms: 5, error_code: 'a' }, 'error_code needs status.'],
    [{ on: 'delivery', kind: 'drop', method: 'GET' }, 'method applies only to faults in requests.'],
    [
      { on: 'delivery', kind: 'drop', delay_ms: 5 },
      'delay_ms applies only to the kinds delay, reorder and slow-body.',
    ],
    [
      { on: 'delivery', kind: 'drop', status: 503 },
      'status applies only to faults in requests and to the kind error-response.',
    ],
    [{ on: 'delivery', kind: 'error-response', status: 200 }, 'status must be from 400 to 599.'],
    [{ on: 'delivery', kind: 'drop', probability: 2 }, 'probability must be above 0 and at most 1.'],
    [
      { on: 'request', status: 500, path: '/nope' },
      'path must be the path of an API operation: /workspaces/{id}, /events, /events/{id}, /webhooks.',
    ],
    [
      { on: 'request', status: 500, path: '/events/' },
      'path must be the path of an API operation: /workspaces/{id}, /events, /events/{id}, /webhooks.',
    ],
    [
      { on: 'request', status: 500, method: 'FOO' },
      'method must be a method of an API operation: GET, POST.',
    ],
    [
      { on: 'request', status: 500, method: 'GET', path: '/v1/webhooks' },
      'method must be a method of that path: POST.',
    ],
    [{ on: 'request', status: 200 }, 'status must be from 400 to 599.'],
    [
      { on: 'delivery', kind: 'drop', type: 'order' },
      'type must have the form <noun>.<verb> in lowercase, such as order.shipped.',
    ],
  ] as const)('the fault %j is invalid', async (rule, message) => {
    const { control } = await open();
    await expect(control.addFault(rule as never)).rejects.toMatchObject({
      code: 'validation_failed',
      message,
    });
  });
});
