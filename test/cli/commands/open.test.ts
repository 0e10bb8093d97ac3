import { describe, expect, it } from 'vitest';
import { command, parsePage } from '../../../src/cli/commands/open.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';

const status = { dashboard_url: 'http://127.0.0.1:4777/' };

async function open(id: string | null, options: { print?: true } = {}, fake: FakeOptions = {}) {
  const { context, capturedOutput } = createFakeContext({
    env: { BROWSER: '/nowhere/browser' },
    ...fake,
    control: { getStatus: async () => status as never },
  });
  await command.run({ ...(id !== null && { id: parsePage(id) }), ...options }, context);
  return capturedOutput;
}

describe('svc open', () => {
  it.each([
    [null, ''],
    ['del_1', '#/deliveries/del_1'],
    ['evt_1', '#/events/evt_1'],
    ['wh_1', '#/webhooks/wh_1'],
  ])('svc open --print %s prints the address of the page /%s', async (id, hash) => {
    const { out, err } = await open(id, { print: true });
    expect({ out, err }).toEqual({ out: `http://127.0.0.1:4777/${hash}\n`, err: '' });
  });

  it('svc open prints the URL as JSON with --json', async () => {
    const { out } = await open(null, {}, { json: true });
    expect(JSON.parse(out)).toEqual({ url: 'http://127.0.0.1:4777/' });
  });

  it('svc open starts the browser and reports it on standard error', async () => {
    const env = { BROWSER: `${process.execPath} --eval 0` };
    const { out, err } = await open('del_1', {}, { env });
    expect({ out, err }).toEqual({ out: '', err: 'Opened http://127.0.0.1:4777/#/deliveries/del_1\n' });
  });

  it('svc open prints the URL and the reason if no browser can be started', async () => {
    const { out, err } = await open('del_1');
    expect(out).toBe('http://127.0.0.1:4777/#/deliveries/del_1\n');
    expect(err).toBe('No browser was found. Open this address in a browser.\n');
  });

  it('an ID of another resource type has no page in the dashboard', () => {
    expect(() => parsePage('ws_1')).toThrow('Pass the ID of a delivery');
  });
});
