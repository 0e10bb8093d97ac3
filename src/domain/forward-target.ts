/** An endpoint by its address and the types of events that it takes. */
export interface ForwardTarget {
  readonly url: string;
  readonly events: readonly string[];
}
