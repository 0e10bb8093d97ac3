import { expect, it } from 'vitest';
import { judgeProbe, type ProbeResult } from '../../src/diagnosis/judge-probe.ts';
import { emptyJudgment, type Judgment } from '../../src/diagnosis/sentences.ts';

it.each<[ProbeResult['result'], string[]]>([
  ['accepted', []],
  ['random_accepted', []],
  ['inconsistent', ['It returned a digest.']],
])(
  'the verdict of a probe with the result %s shows the evidence about the attempt: %j',
  (result, evidence) => {
    const detail = 'Your receiver returned 401.';
    const facts = ['It returned a digest.'];
    const judgment: Judgment = { ...emptyJudgment, cause: 'rejected', detail, evidence: facts, hints: [] };
    const verdict = judgeProbe({ result, tried: 0 }, judgment, {
      delivery: 'del_1',
      webhook: 'wh_1',
      status: '401',
    });
    expect(verdict.evidence).toEqual(evidence);
  },
);
