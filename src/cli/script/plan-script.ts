/** What a script would do, told without doing it: values are filled in, references to results stay as they are. */

import { indentJson } from '../../domain/json.ts';
import { formatPath } from '../../domain/json-path.ts';
import type { Script, ScriptStep } from '../../fixtures/script-fixtures.ts';
import { fillTemplates, type ResolveReference } from '../../fixtures/template.ts';
import type { TemplateScopes } from '../template-scopes.ts';
import { formatExpectation } from './expectation.ts';
import type { StepReport } from './step-report.ts';

/** Contacts nobody. @throws SvcError `usage` when a variable is missing. */
export function planScript(script: Script, scopes: TemplateScopes): StepReport[] {
  return script.steps.map((step) => ({ step, ok: null, ...planStep(step, scopes) }));
}

function planStep(step: ScriptStep, scopes: TemplateScopes): Pick<StepReport, 'result' | 'lines'> {
  switch (step.kind) {
    case 'event': {
      const scope = scopes.next();
      const payload = fillTemplates(step.payloadTemplate, scope, keepReference);
      const key =
        step.idempotencyKeyTemplate && fillTemplates(step.idempotencyKeyTemplate, scope, keepReference);
      const rest = key === null ? '' : `,"idempotency_key":${key}`;
      return {
        result: `{"event":{"type":${JSON.stringify(step.type)},"payload":${payload}}${rest}}`,
        lines: [step.type, ...indentJson(payload).split('\n')],
      };
    }
    case 'webhook': {
      const webhook = fillTemplates(step.webhookTemplate, scopes.next(), keepReference);
      return { result: `{"webhook":${webhook}}`, lines: [webhook] };
    }
    case 'advance':
      return { result: JSON.stringify({ duration_ms: step.ms }), lines: ['the clock'] };
    case 'wait':
      return { result: JSON.stringify({ duration_ms: step.ms }), lines: ['until no delivery is pending'] };
    case 'settle':
      return { result: '{}', lines: ['the clock, until no delivery is pending'] };
    case 'expect':
      return {
        result: JSON.stringify({ expect: step.expectation }),
        lines: [formatExpectation(step.expectation)],
      };
  }
}

const keepReference: ResolveReference = ({ step, path }) =>
  JSON.stringify(`{{${formatPath(['steps', step, ...path])}}}`);
