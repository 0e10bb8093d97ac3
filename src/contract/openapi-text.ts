/** Types of the texts and examples that the OpenAPI documents add to the schemas. */
import type * as v from 'valibot';
import type { ErrorCode } from '../errors.ts';
import type { Operation, OperationInput, OperationOutput } from './operation.ts';

/**
 * Description of a field. If its value is an object that has no description of its own in `schemaTexts`, also the descriptions
 * of the fields of that object.
 */
export type FieldText = string | { readonly description: string; readonly fields: FieldTexts };
export interface FieldTexts {
  readonly [field: string]: FieldText;
}

/** Description of a schema, with a description of each of its fields. */
export interface SchemaText<Schema extends v.GenericSchema> {
  readonly description: string;
  readonly fields: { readonly [Field in keyof v.InferOutput<Schema>]-?: FieldText };
}

export interface OperationText {
  /** Group of operations in the document. */
  readonly tag: string;
  /** Imperative phrase without a period. */
  readonly summary: string;
  readonly description: string;
  /** Description of each field of the input, whether it is in the path, the query or the body. */
  readonly input: Readonly<Record<string, string>>;
  /** Description of the response of a request that succeeds. */
  readonly response: string;
  /** Description of each field of that response, if it has no description in `schemaTexts`. */
  readonly output?: FieldTexts;
  readonly example: { readonly input: Readonly<Record<string, unknown>>; readonly output: unknown };
  /** Example messages of errors for which those in `error-texts.ts` do not fit. */
  readonly errorExamples?: ErrorMessages;
}

export type ErrorMessages = Readonly<Partial<Record<ErrorCode, string>>>;

/** The texts of one operation, with its exact fields. */
interface TypedOperationText<O extends Operation> extends OperationText {
  readonly input: { readonly [Field in keyof OperationInput<O>]-?: string };
  readonly example: {
    readonly input: OperationInput<O> & Readonly<Record<string, unknown>>;
    readonly output: OperationOutput<O>;
  };
}

export type OperationTexts<Table extends Readonly<Record<string, Operation>>> = {
  readonly [Name in keyof Table]: TypedOperationText<Table[Name]>;
};
