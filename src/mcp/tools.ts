/** The tools of the MCP server. Their list is part of each request to a model, so a test limits its size. */
import type { Tool } from './tool.ts';
import { clockTool } from './tools/clock.ts';
import { deliveriesTool } from './tools/deliveries.ts';
import { explainTool } from './tools/explain.ts';
import { labTool } from './tools/lab.ts';
import { replayTool } from './tools/replay.ts';
import { statusTool } from './tools/status.ts';
import { triggerTool } from './tools/trigger.ts';
import { waitTool } from './tools/wait.ts';

export const tools: readonly Tool[] = [
  statusTool,
  triggerTool,
  waitTool,
  deliveriesTool,
  explainTool,
  replayTool,
  clockTool,
  labTool,
];
