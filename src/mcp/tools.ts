/** The tools of the MCP server. Their list is part of each request to a model, so a test limits its size. */
import type { Tool } from './tool.ts';
import { clockTool } from './tools/clock.ts';
import { deliveriesTool } from './tools/deliveries.ts';
import { explainTool } from './tools/explain.ts';
import { faultsTool } from './tools/faults.ts';
import { receiverTool } from './tools/receiver.ts';
import { replayTool } from './tools/replay.ts';
import { stateTool } from './tools/state.ts';
import { statusTool } from './tools/status.ts';
import { triggerTool } from './tools/trigger.ts';

export const tools: readonly Tool[] = [
  statusTool,
  triggerTool,
  deliveriesTool,
  explainTool,
  replayTool,
  clockTool,
  receiverTool,
  faultsTool,
  stateTool,
];
