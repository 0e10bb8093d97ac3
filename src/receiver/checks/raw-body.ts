import { toUnicodeEscape } from '../../domain/json-printing.ts';
import type { Check } from '../check.ts';
import type { Message } from '../courier.ts';
import type { Forge } from '../forge.ts';
import { acceptCheck, refuseCheck } from './deliveries.ts';
import { BIG_NUMBER, STRANGE_MEMBER } from './robustness.ts';

const fault = 'It verifies a body that was parsed and printed anew: read the raw bytes, and verify those.';

/** Verification over the raw bytes (§6.1 of the service description). */
export const rawBodyChecks: readonly Check[] = [
  printedCheck(
    'raw-body.member-order',
    'members in the order of the service, which is not alphabetical',
    (forge) => forge.createEnvelope(),
  ),
  printedCheck('raw-body.white-space', 'white space between members, and a line break at the end', (forge) =>
    spread(forge.createEnvelope()),
  ),
  printedCheck('raw-body.unicode-escape', 'a letter written as a Unicode escape', (forge) =>
    forge.createEnvelope().replace(/(?<=:")[a-z]/, toUnicodeEscape),
  ),
  {
    ...printedCheck('raw-body.big-number', 'a number that a double cannot hold', (forge) =>
      forge
        .createEnvelope({ members: { [STRANGE_MEMBER]: 0 } })
        .replace(`"${STRANGE_MEMBER}":0`, `"${STRANGE_MEMBER}":9007199254740993`),
    ),
    // Whether it takes big numbers at all.
    needs: [BIG_NUMBER],
  },
  refuseCheck({
    id: 'raw-body.re-spaced',
    rule: 'raw-body',
    sent: 'white space that was added after signing',
    fault,
    make(forge): Message {
      const { body, headers } = forge.genuine();
      return { body: spread(body), headers };
    },
  }),
];

/** A genuine delivery whose body is printed in a way that parsing and printing loses. */
function printedCheck(id: string, sent: string, print: (forge: Forge) => string): Check {
  return acceptCheck({ id, rule: 'raw-body', sent, fault, make: (forge) => forge.sign(print(forge)) });
}

function spread(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}
