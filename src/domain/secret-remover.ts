/** Removes secrets from texts that leave the machine: API keys, endpoint secrets, passwords, tokens and cookies. */
import { keyPrefixes, SECRET_PREFIX } from './credentials.ts';
import { parseUrl } from './http-url.ts';

/** Replaces a secret. It needs no escape in JSON, and can be in a header and in a URL. */
export const REMOVED = '[removed]';

/** API keys (§5) and endpoint secrets (§6) of this emulator, of another one or of the real service. */
const KNOWN_SECRET = new RegExp(
  `(?:${[...Object.values(keyPrefixes), SECRET_PREFIX].join('|')})[A-Za-z0-9_+/=-]{16,}`,
  'g',
);
/** Names of headers and query parameters with a secret value. `author` is not such a name. */
const SECRET_NAME = /auth(?!or\b)|cookie|key|token|secret|passw|credential|session/i;
/** Exceptions: a signature and an idempotency key give no access, and readers compare them. */
const PUBLIC_NAME = /signature|idempotency-key/i;
/** A shorter part of a header value can be an ordinary word, which would be removed from every text. */
const MIN_SECRET_LENGTH = 12;

type Headers = Readonly<Record<string, string>>;

/** Each method returns its input without the secrets. */
export interface SecretRemover {
  fromText(text: string): string;
  fromHeaders(headers: Headers): Record<string, string>;
  fromUrl(url: string): string;
}

/**
 * @param secrets secrets to remove from every text
 * @param headers the headers of the messages: their secret values are also removed from every text, because receivers
 *   echo them
 */
export function createSecretRemover(secrets: readonly string[], headers: Iterable<Headers>): SecretRemover {
  const echoed = Array.from(headers, (each) => Object.entries(each).filter(([name]) => isSecretName(name)))
    .flat()
    .flatMap(([name, value]) => [value, ...splitSecretValue(name, value)])
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
  // As text and as part of a JSON string.
  const forms = [...secrets, ...echoed].flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  // A secret can be a part of another one, so the longest is replaced first.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const fromText = (text: string) =>
    removeKnownSecrets(longestFirst.reduce((rest, secret) => rest.replaceAll(secret, () => REMOVED), text));
  return {
    fromText,
    fromHeaders: (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          isSecretName(name) ? REMOVED : fromText(value),
        ]),
      ),
    fromUrl: (text) => fromText(removeFromUrl(text)),
  };
}

/** Removes API keys and endpoint secrets, which have a known prefix. */
export function removeKnownSecrets(text: string): string {
  return text.replace(KNOWN_SECRET, REMOVED);
}

/** Whether the value of a header or a query parameter with this name is secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PUBLIC_NAME.test(name);
}

/** The scheme and the token of `Authorization`, or the names and the values of cookies. Attributes of a cookie are not secret. */
function splitSecretValue(name: string, value: string): string[] {
  const [cookie = ''] = value.split(';', 1);
  return (name.toLowerCase() === 'set-cookie' ? cookie : value).split(/[\s;,=]+/);
}

/** Changes the text and not the parsed URL, so that everything else stays as it was sent. */
function removeFromUrl(text: string): string {
  const url = parseUrl(text);
  if (url === null) return text;
  const withoutUser =
    url.username === '' && url.password === '' ? text : text.replace(/\/\/[^/?#]*@/, `//${REMOVED}@`);
  return removeSecretParameters(withoutUser);
}

/** Removes the secret values of the query of a URL or a path. */
export function removeSecretParameters(text: string): string {
  return text.replace(/([?&])([^=&#]*)=([^&#]*)/g, (parameter, separator: string, name: string) =>
    isSecretName(name) ? `${separator}${name}=${REMOVED}` : parameter,
  );
}
