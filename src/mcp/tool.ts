/** A tool of the MCP server: its definition, what a call gets, and the form of its results and errors. */
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { JsonObject } from '../contract/fields.ts';
import { escapeInvisibleInJson } from '../domain/invisible-characters.ts';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../domain/json.ts';
import { findClosest } from '../domain/message-parts.ts';
import { type ErrorCode, SvcError } from '../errors.ts';
import { parse } from '../validation/validate.ts';
import type { ConnectedEmulator } from './connected-emulator.ts';

/** What the client can show or ask before a call. Only tools that change nothing outside of the emulator lack `openWorldHint`. */
interface ToolHints {
  readonly readOnlyHint?: true;
  /** Whether a call can lose data. The default of the protocol is true. */
  readonly destructiveHint?: boolean;
}

export interface ToolCall {
  readonly emulator: ConnectedEmulator;
  /** Folder of the project: its `fixtures` folder has event types and scripts, and relative paths start there. */
  readonly projectFolder: string;
  /** Aborted when the client cancels the call or leaves. */
  readonly signal: AbortSignal;
  /** Reports progress, if the client asked for it. Values must increase. */
  readonly onProgress: (progress: number, total: number | undefined, message: string) => void;
}

/** A result is one JSON object. `next` is the call that is most likely useful after it. */
export interface ToolResult {
  readonly next: string;
  readonly [field: string]: unknown;
}

/** All tools, so that the compiler checks the calls that results name. */
type ToolName =
  | 'status'
  | 'trigger'
  | 'deliveries'
  | 'explain'
  | 'replay'
  | 'clock'
  | 'receiver'
  | 'faults'
  | 'state';

export interface Tool {
  readonly name: ToolName;
  readonly description: string;
  readonly hints: ToolHints;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** The call that helps after an error, unless arguments can be corrected. */
  readonly nextAfterError: string;
  /** @throws SvcError `validation_failed` for invalid arguments, and the errors of the control plane. */
  call(args: Record<string, unknown>, call: ToolCall): Promise<ToolResult>;
}

type JsonSchema = { type: 'object'; [keyword: string]: unknown };
type FieldType = 'array' | 'boolean' | 'number' | 'object' | 'string';

interface ToolDefinition<Schema extends v.GenericSchema>
  extends Pick<Tool, 'name' | 'description' | 'hints' | 'nextAfterError'> {
  readonly input: Schema;
  /** The most important fields of the result. There can be more. */
  readonly output: Readonly<Record<string, FieldType>>;
  run(input: v.InferOutput<Schema>, call: ToolCall): Promise<ToolResult>;
}

export function defineTool<Schema extends v.GenericSchema>({
  input,
  output,
  run,
  ...definition
}: ToolDefinition<Schema>): Tool {
  const fields = Object.entries({ ...output, next: 'string' });
  return {
    ...definition,
    inputSchema: toInputSchema(input),
    outputSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, type]) => [name, { type }])),
    },
    async call(args, call) {
      // As for a body of `/v1`. A deeper value could exceed the call stack.
      if (isNestedTooDeeply(args)) {
        const message = `The arguments are nested more than ${MAX_JSON_DEPTH} levels deep.`;
        throw new SvcError('validation_failed', message);
      }
      return run(parseArguments(input, args), call);
    },
  };
}

/** Descriptions that say the same as the name of the field, such as `webhook_id`. */
const REDUNDANT = /^(?:Only \w+ (?:in|of|to|with) this|ID of the) /;

/** The keywords that tell a model how to call a tool. Other problems, such as an invalid ID, are in the error of the call. */
const SHOWN_KEYWORDS = ['type', 'enum', 'maximum', 'description', 'default', 'items'];

/** The JSON Schema of the arguments, in few tokens: clients send the list of tools to the model with each request. */
function toInputSchema(input: v.GenericSchema): JsonSchema {
  const { properties = {}, required = [] } = toJsonSchema(input, {
    typeMode: 'input',
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema }) => (valibotSchema === JsonObject ? { type: 'object' } : undefined),
  });
  const shorten = (schema: object): object =>
    Object.fromEntries(
      Object.entries(schema)
        .filter(([keyword, value]) => SHOWN_KEYWORDS.includes(keyword) && !isEmptyDefault(keyword, value))
        .map(([keyword, value]) => [
          keyword,
          keyword === 'items' ? shorten(value) : keyword === 'description' ? shortenText(value) : value,
        ]),
    );
  const shown = Object.entries(properties).map(([name, schema]) => [name, shorten(schema as object)]);
  return {
    type: 'object',
    properties: Object.fromEntries(shown),
    ...(required.length > 0 && { required }),
  };
}

/** The first sentence without its default and period. */
function shortenText(text: string): string | undefined {
  return REDUNDANT.test(text) ? undefined : text.split(/\.(?: |$)| \(default: /)[0];
}

/** An empty object, an empty list or `false` is the same as no value. */
function isEmptyDefault(keyword: string, value: unknown): boolean {
  return (
    keyword === 'default' &&
    (value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0))
  );
}

/** Writes a call as text for the field `next`, such as `explain {"id":"del_…"}`. */
export function formatCall(tool: ToolName, args: object = {}): string {
  return `${tool} ${JSON.stringify(args)}`;
}

/** An error of a call that other arguments can correct. */
export class ArgumentError extends SvcError {
  /** The arguments to change in the next call; undefined removes one. */
  readonly changes: object;

  constructor(message: string, changes: object, hint?: string, code: ErrorCode = 'validation_failed') {
    super(code, message, { hint });
    this.changes = changes;
  }
}

/** An argument that only some actions of a tool need. @throws ArgumentError without it */
export function requireArgument<Value>(value: Value | undefined, name: string, example: unknown): Value {
  if (value !== undefined) return value;
  const change = { [name]: example };
  throw new ArgumentError(`${name} is required for this action.`, change, `Pass ${JSON.stringify(change)}`);
}

/** Names and words of the tools are shorter. The time of a search for the closest one grows with this length. */
const MAX_COMPARED_LENGTH = 64;

/**
 * Parses arguments, or the object that is one of them. The error has the corrected call only if a mistyped field or word is
 * the only mistake: without an unknown field, a call could do more than was asked for.
 * @param toArguments converts changes of the object to those of the arguments
 * @throws SvcError `validation_failed`
 */
export function parseArguments<Schema extends v.GenericSchema>(
  schema: Schema,
  args: object,
  toArguments = (changes: object) => changes,
): v.InferOutput<Schema> {
  return parse(schema, args, ({ path, problem, keys, value, isUnknownField, choices }) => {
    const message = `${path || 'The arguments'} ${problem}.`;
    const name = String(keys.at(-1));
    const word = String(isUnknownField ? name : value).slice(0, MAX_COMPARED_LENGTH);
    const candidates = isUnknownField ? choices.filter((choice) => !(choice in args)) : choices;
    const closest = findClosest(word, candidates);
    if (closest === null) return new SvcError('validation_failed', message);
    const hint = `Did you mean ${closest}?`;
    const changes = isUnknownField ? { [name]: undefined, [closest]: value } : { [name]: closest };
    return v.is(schema, applyChanges(args, changes))
      ? new ArgumentError(message, toArguments(changes), hint)
      : new SvcError('validation_failed', message, { hint });
  });
}

function applyChanges(args: object, changes: object): object {
  const changed = Object.entries({ ...args, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(changed);
}

export const START_EMULATOR = 'Start an emulator in a shell: svc emulator start --detach';

/** Length of a text in an error, in characters: it can contain what the client sent. */
const MAX_ERROR_LENGTH = 500;

/** The error of a call, as JSON. Its hint can name a command, which the client can run in a shell. */
export function toErrorJson(error: SvcError, tool: Tool, args: object): string {
  const { code, message, hint } = error;
  const cut = (text: string) =>
    text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text;
  return JSON.stringify(
    escapeInvisibleInJson({
      error: { code, message: cut(message), ...(hint && { hint: { ...hint, text: cut(hint.text) } }) },
      next: code === 'no_emulator' ? START_EMULATOR : (correctCall(error, tool, args) ?? tool.nextAfterError),
    }),
  );
}

/** The call with corrected arguments; null if it would be too long. */
function correctCall(error: SvcError, tool: Tool, args: object): string | null {
  if (!(error instanceof ArgumentError)) return null;
  const call = formatCall(tool.name, applyChanges(args, error.changes));
  return call.length <= MAX_ERROR_LENGTH ? call : null;
}
