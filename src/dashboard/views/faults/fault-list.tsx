/** Faults in force, each with how often it has fired. */
import './faults.css';
import type { Fault } from '../../../contract/faults.ts';
import { describeEffect, describeFirings } from '../../../control/fault-account.ts';
import { deliveryFaultText } from '../../../domain/fault.ts';
import type { Asked } from '../../asked.ts';
import { control } from '../../control.ts';
import { attempt } from '../../notices.ts';
import { Icon } from '../../ui/icon.tsx';
import { Answer } from '../../ui/state.tsx';

interface Props {
  readonly asked: Asked<readonly Fault[]>;
  /** What is said where there is none. */
  readonly none: string;
}

export function FaultList({ asked, none }: Props) {
  const clear = async (faults: readonly Fault[]) => {
    await attempt(Promise.all(faults.map(({ id }) => control.clearFaults({ id }))));
    asked.again();
  };
  return (
    <Answer asked={asked} what="faults">
      {(faults) =>
        faults.length === 0 ? (
          <p class="muted">{none}</p>
        ) : (
          <>
            <ul class="faults-list">
              {faults.map((fault) => (
                <Row key={fault.id} fault={fault} onClear={() => clear([fault])} />
              ))}
            </ul>
            {faults.length > 1 && (
              <div class="row">
                <button type="button" class="danger" onClick={() => clear(faults)}>
                  <Icon name="trash" /> Clear all {faults.length}
                </button>
              </div>
            )}
          </>
        )
      }
    </Answer>
  );
}

function Row({ fault, onClear }: { readonly fault: Fault; readonly onClear: () => void }) {
  const effect = describeEffect(fault);
  const isSpent = fault.count !== undefined && fault.fired >= fault.count;
  return (
    <li>
      <span class="faults-what">
        <strong>{effect}</strong>
        <small>
          {fault.kind !== undefined && `${deliveryFaultText[fault.kind]} · `}
          {describeScope(fault)}
        </small>
      </span>
      <span class={`faults-fired ${isSpent ? 'muted' : ''}`}>
        fired {describeFirings(fault)}
        {isSpent && ', spent'}
      </span>
      <button type="button" class="quiet" aria-label={`Clear the fault ${effect}`} onClick={onClear}>
        <Icon name="trash" />
      </button>
    </li>
  );
}

/** What it meets of all that is before the eyes of the reader. */
function describeScope({ on, method, path, api_key_id: key, type, webhook_id: webhook }: Fault): string {
  const scope =
    on === 'request'
      ? [method, path, key]
      : [type === undefined ? 'every event' : `only ${type}`, webhook === undefined && 'at every endpoint'];
  return scope.filter(Boolean).join(' ') || 'every request';
}
