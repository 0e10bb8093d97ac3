import { it, vi } from 'vitest';
import { command } from '../../../src/cli/commands/explain.ts';
import { exampleExplanation } from '../../support/create-example.ts';
import { createFakeContext } from '../fake-context.ts';
import { expectGolden } from '../golden-output.ts';

const steps = [{ step: 'Use the text of the whole secret as the key', value: 'whsec_…2miI' }];

async function run(options: Parameters<typeof command.run>[0], fields: object) {
  const explain = vi.fn(async (_: object) => ({ ...exampleExplanation, ...fields }));
  const control = { [options.probe ? 'probeDelivery' : 'explainDelivery']: explain };
  const { context, capturedOutput } = createFakeContext({ width: 80, control });
  await command.run(options, context);
  return { ...capturedOutput, input: JSON.stringify(explain.mock.calls[0]?.[0]) };
}

const found = {
  ...{ certainty: 'likely', layer: { kind: 'a', by: 'b' }, mistake: { reason: 'altered_body' } },
  finding: { explains: 2, comparison: { signed: '1.{"n":1}', verified: '1.{"n": 1}', difference: 7 } },
  hints: [...exampleExplanation.hints, ...['a', 'b'].map((text) => ({ text, command: `svc ${text}` }))],
};
const inWorkspace = { id: 'del_1', workspace: 'ws_1' };
const probing = { ...inWorkspace, probe: true } as const;

it('the explanations are those of golden/explain.txt', async () => {
  const { attempt } = exampleExplanation;
  const page = { ...attempt, response_body: '<title>Page&nbsp;Expired</title><p>419</p>' };
  const evidence = Array.from({ length: 20 }, (_, index) => `Fact ${index}.`);
  const texts: Record<string, string> = {};
  for (const [title, options, fields] of [
    ['the cause first', {}, { steps }],
    ['with --steps', { steps: true }, { steps }],
    ['with --steps, but there are none', { steps: true }, { steps: null }],
    [
      'with --steps, and a second attempt',
      { steps: true },
      { steps: null, attempt: { ...attempt, number: 2 } },
    ],
    [
      'with --steps and --attempt',
      { ...inWorkspace, steps: true, attempt: 2 },
      { steps: null, attempt: { ...attempt, number: 2 } },
    ],
    ['a finding that fits without the response', probing, { ...found, detail: 'detail '.repeat(25) }],
    ['a finding that fits without a command', {}, { ...found, detail: 'detail '.repeat(35) }],
    ['the first evidence that fits on a small screen', {}, { evidence }],
    ['the text of a page without its tags', {}, { attempt: page }],
  ] as const) {
    const { out, err, input } = await run(options, fields);
    texts[title] = `${input}\n${out}${err.replace(/^(?=.)/gm, '! ')}`;
  }
  await expectGolden('explain', texts);
});
