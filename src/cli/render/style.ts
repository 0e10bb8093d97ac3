import { Chalk, type ChalkInstance } from 'chalk';
import type { AttemptOutcome, DeliveryStatus } from '../../domain/delivery.ts';

const colored = new Chalk({ level: 1 });
const plain = new Chalk({ level: 0 });

export function styleFor(look: { readonly color: boolean }): ChalkInstance {
  return look.color ? colored : plain;
}

export function paintStatus(status: DeliveryStatus, look: { readonly color: boolean }): string {
  const style = styleFor(look);
  const paint = { pending: style.yellow, succeeded: style.green, failed: style.red, canceled: style.dim };
  return paint[status](status);
}

/** `succeeded 200`, `http_error 503`, `timeout` */
export function paintOutcome(
  attempt: { readonly outcome: AttemptOutcome; readonly response_status: number | null },
  look: { readonly color: boolean },
): string {
  const { outcome, response_status: status } = attempt;
  const style = styleFor(look);
  return (outcome === 'succeeded' ? style.green : style.red)(
    status === null ? outcome : `${outcome} ${status}`,
  );
}

export function paintHttpStatus(status: number, look: { readonly color: boolean }): string {
  const style = styleFor(look);
  if (status < 400) return style.green(String(status));
  return (status < 500 ? style.yellow : style.red)(String(status));
}
