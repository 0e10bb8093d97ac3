import { schemes } from '../../domain/signature/schemes.ts';
import type { Bench } from '../bench.ts';
import { type Check, failed, passed } from '../check.ts';
import { type Answer, describeAnswers, isAccepted, isRejected, type Message } from '../courier.ts';
import { printers } from '../printers.ts';

/**
 * The check that every other one needs. A receiver that verifies a body printed anew accepts only its own way of
 * printing: each is tried, and what is accepted is used from then on, so that the checks of raw bodies can say so.
 */
export const genuineCheck: Check = {
  id: 'signature.genuine',
  rule: 'signature',
  sent: 'a genuine delivery',
  async run(bench) {
    let first: Answer | undefined;
    for (const print of Object.values(printers)) {
      bench.forge.print = print;
      const answer = await bench.send(bench.forge.genuine());
      if (isAccepted(answer)) return passed(describeAnswers(answer), 'It accepts what it is sent.');
      first ??= answer;
      if (!isRejected(answer)) break;
    }
    if (first === undefined) throw new Error('There is a way of printing.');
    return failed(describeAnswers(first), await explain(first, bench));
  },
};

async function explain(answer: Answer, bench: Bench): Promise<string> {
  const { status } = answer;
  if (status === null) return 'No delivery reaches it: check the URL, and that the receiver runs.';
  if (status >= 300 && status < 400)
    return 'Deliveries do not follow redirects: give the address that it leads to.';
  if (status === 404 || status === 405) return 'Nothing takes deliveries there: check the path of the URL.';
  if (!isRejected(answer)) return 'It breaks on a delivery that is right: see what it logs.';
  for (const { message, meaning } of toGuesses(bench)) {
    if (isAccepted(await bench.send(message))) return meaning;
  }
  return 'It rejects what is right: check that --secret is the secret it has, and what it signs and compares.';
}

/** What a receiver accepts that takes something else for the right thing. */
function toGuesses({ forge, apiKey }: Bench): { readonly message: Message; readonly meaning: string }[] {
  const others = Object.values(schemes).filter(({ name }) => name !== forge.scheme.name);
  const guesses = others.map((scheme) => ({
    message: forge.as(scheme).genuine(),
    meaning: `It verifies deliveries of the scheme ${scheme.name}: pass --scheme ${scheme.name}, or correct the receiver.`,
  }));
  if (apiKey === null) return guesses;
  const message = forge.sign(forge.createBody(), { secrets: [apiKey] });
  const meaning = 'It verifies with the API key: deliveries are signed with the secret of the endpoint.';
  return [{ message, meaning }, ...guesses];
}
