/** Runs a script of the fixtures for the tool `trigger`. */
import { runScript, type ScriptContext } from '../client/script/run-script.ts';
import { type StepReport, toStepLabel } from '../client/script/step-report.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { createRandomSource } from '../domain/secret.ts';
import { SvcError } from '../errors.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { findScript, listScripts, type Script } from '../fixtures/script-fixtures.ts';
import { createTemplateContexts } from '../fixtures/template-contexts.ts';
import { formatCall, type ToolCall, type ToolResult } from './tool.ts';

/** @throws SvcError `not_found` for an unknown name */
export async function runNamedScript(name: string, call: ToolCall, workspaceId: string): Promise<ToolResult> {
  const script = getScript(name, call.projectFolder);
  const context = await createScriptContext(call, workspaceId);
  const reports: StepReport[] = [];
  for await (const report of runScript(script, context)) {
    reports.push(report);
    call.onProgress(reports.length, script.steps.length, toStepLabel(report.step));
  }
  const ok = reports.length === script.steps.length && reports.every((report) => report.ok);
  return {
    script: name,
    ok,
    steps: reports.map(({ step, ok: isStepOk, lines }) => ({
      step: toStepLabel(step),
      ok: isStepOk,
      result: lines,
    })),
    ...(reports.length < script.steps.length && {
      stopped_at: `step ${reports.length} of ${script.steps.length}`,
    }),
    next: ok ? formatCall('deliveries') : formatCall('explain'),
  };
}

function getScript(name: string, projectFolder: string): Script {
  const folders = fixtureFolders(projectFolder);
  const names = listScripts(folders).map((script) => script.name);
  const script = names.includes(name) ? findScript(name, folders) : null;
  if (script !== null) return script;
  throw new SvcError('not_found', 'The script does not exist.', {
    hint: suggestMatch(name, names) ?? `Use one of ${names.join(', ')}.`,
  });
}

async function createScriptContext(
  { emulator: { control, connectApi, rules, now }, signal }: ToolCall,
  workspaceId: string,
): Promise<ScriptContext> {
  return {
    control,
    api: await connectApi(),
    // The control plane does not end with the call.
    connectForCleanup: async () => control,
    workspaceId,
    payloadField: rules.payloadField,
    templateContexts: createTemplateContexts({ env: process.env, random: createRandomSource(null), now }),
    signal,
    keepsEndpoints: false,
  };
}
