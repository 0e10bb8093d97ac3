import { describe, expect, it, vi } from 'vitest';
import {
  findIdCommand,
  searchCommands,
  toActionCommands,
} from '../../src/dashboard/views/palette/commands.ts';

const ULID = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

describe('findIdCommand', () => {
  it.each([
    [`evt_${ULID}`, { section: 'events', id: `evt_${ULID}` }],
    [` wh_${ULID} `, { section: 'webhooks', id: `wh_${ULID}` }],
    [`del_${ULID}`, { section: 'deliveries', id: `del_${ULID}` }],
    [`req_${ULID}`, { section: 'requests', id: `req_${ULID}` }],
    [`att_${ULID}_2`, { section: 'deliveries', id: `del_${ULID}`, query: { attempt: '2' } }],
    [`key_${ULID}`, { section: 'requests', query: { api_key_id: `key_${ULID}` } }],
  ])('findIdCommand opens the page of %s', (text, route) => {
    const navigate = vi.fn();
    findIdCommand(text, { navigate, selectWorkspace: vi.fn() })?.run();
    expect(navigate).toHaveBeenCalledWith(route);
  });

  it('findIdCommand selects a workspace', () => {
    const selectWorkspace = vi.fn();
    findIdCommand(`ws_${ULID}`, { navigate: vi.fn(), selectWorkspace })?.run();
    expect(selectWorkspace).toHaveBeenCalledWith(`ws_${ULID}`);
  });

  it.each(['', 'events', 'key_1', 'att_1'])('findIdCommand returns null for %j', (text) => {
    expect(findIdCommand(text, { navigate: vi.fn(), selectWorkspace: vi.fn() })).toBeNull();
  });
});

const toShortcut = (key: string, description: string) => ({ key, description, run: () => {} });

describe('toActionCommands', () => {
  it('toActionCommands lists the shortcuts without that of the palette', () => {
    const list = [toShortcut('r', 'Replay'), toShortcut('Ctrl+K', 'Open')];
    expect(toActionCommands(list, 'Ctrl+K')).toMatchObject([{ title: 'Replay', key: 'r' }]);
  });
});

describe('searchCommands', () => {
  it('searchCommands finds all words in any order and case', () => {
    const commands = ['Go to Events', 'Go to Endpoints'].map((title) => ({ title, key: '', run: () => {} }));
    expect(searchCommands(commands, 'EVENTS go').map(({ title }) => title)).toEqual(['Go to Events']);
    expect(searchCommands(commands, ' ')).toHaveLength(2);
    expect(searchCommands(commands, 'x')).toEqual([]);
  });
});
