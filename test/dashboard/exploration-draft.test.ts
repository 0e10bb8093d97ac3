import { describe, expect, it } from 'vitest';
import {
  emptyExploration,
  toExploration,
  toExploreCommand,
  toggleDisturbance,
  toHistoryFileName,
} from '../../src/dashboard/views/webhooks/exploration-draft.ts';

const endpoint = { url: 'http://localhost:3000/webhooks', events: ['*'] };
const report = { seed: 7, events: ['invoice.paid', 'order.shipped'] };

describe('the form of an exploration', () => {
  it('empty fields are not sent, so that the defaults apply', () => {
    expect(toExploration(emptyExploration)).toEqual({});
    expect(toExploration({ ...emptyExploration, runs: ' ', only: ' , ' })).toEqual({});
  });

  it('each field is sent, and a time is converted to milliseconds', () => {
    const draft = {
      runs: ' 5 ',
      time_ms: '1m30s',
      seed: '0',
      observe: 'http://localhost:3000/effects ',
      only: 'duplicate,pause',
    };
    expect(toExploration(draft)).toEqual({
      runs: '5',
      time_ms: 90_000,
      seed: '0',
      observe: 'http://localhost:3000/effects',
      only: ['duplicate', 'pause'],
    });
  });

  it('a time that is not a duration is an error of its field', () => {
    expect(() => toExploration({ ...emptyExploration, time_ms: 'soon' })).toThrow(
      /^time_ms must be a duration/,
    );
  });

  it('a button adds a disturbance to the list, or removes it', () => {
    expect(toggleDisturbance('', 'burst')).toBe('burst');
    expect(toggleDisturbance('burst', 'pause')).toBe('burst, pause');
    expect(toggleDisturbance('burst, pause', 'burst')).toBe('pause');
  });

  it('the command repeats the exploration with its seed', () => {
    expect(toExploreCommand(endpoint, {}, report)).toBe(
      'svc receiver explore http://localhost:3000/webhooks --seed 7',
    );
    const input = {
      runs: '5',
      time_ms: 90_000,
      observe: 'http://localhost:3000/a?b&c',
      only: ['pause', 'burst'],
    };
    expect(toExploreCommand(endpoint, input as never, report)).toBe(
      "svc receiver explore http://localhost:3000/webhooks --seed 7 --runs 5 --time 1m30s --observe 'http://localhost:3000/a?b&c' --only burst,pause",
    );
  });

  it('the command sends only the event types that the endpoint receives', () => {
    const events = ['order.shipped', 'invoice.paid', 'pets.fed'];
    expect(toExploreCommand({ ...endpoint, events }, {}, report)).toBe(
      'svc receiver explore http://localhost:3000/webhooks --seed 7 --events invoice.paid,order.shipped --without unknown-type',
    );
  });

  it('a history is saved under the name that svc receiver explore uses', () => {
    expect(toHistoryFileName({ seed: 7, run: 3 })).toBe('history-7-3.json');
    expect(toHistoryFileName({ seed: 7, run: null })).toBe('history-7-first.json');
  });
});
