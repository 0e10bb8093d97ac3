import { expect, it } from 'vitest';
import { listNextSteps, splitHint } from '../../src/domain/next-step.ts';

it.each([
  ['Correct it with: svc webhooks update we_1', 'Correct it with:', 'svc webhooks update we_1'],
  ['Replay later, with --rate.', 'Replay later, with --rate.', null],
])('splitHint divides %j into a text and a command', (text, words, command) => {
  expect(splitHint(text)).toEqual({ text: words, command });
});

it.each([
  [
    'Correct it with: svc webhooks update we_1',
    [{ purpose: 'Correct it', command: 'svc webhooks update we_1' }],
  ],
  [
    'Read it as JSON: svc env --format json',
    [{ purpose: 'Read it as JSON', command: 'svc env --format json' }],
  ],
  [
    'Use: svc deliveries get [options] <id>. List the deliveries with: svc deliveries list',
    [{ purpose: 'List the deliveries', command: 'svc deliveries list' }],
  ],
  ['Use: svc deliveries get [options] <id>', []],
  ['Remove svc emulator stop from the command: svc emulator exec stops the emulator.', []],
  ['Choose one of: list, get', []],
])('the next steps of the hint %j are its complete commands', (hint, steps) => {
  expect(listNextSteps(hint)).toEqual(steps);
});
