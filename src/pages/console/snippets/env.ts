// The file .env of an application: what its code takes from the environment, ready to be copied.

export interface Environment {
  clientId: string;
  /** Undefined where it can no longer be shown: its line is left to be filled in. */
  clientSecret?: string | undefined;
  issuer: string;
  redirectUri: string;
  scopes: readonly string[];
}

/** Further secrets that templates read, each a random text of the application's own. */
const RANDOM = /\b(?:SESSION_SECRET|AUTH_SECRET|COOKIE_SECRET|CRYPTO_PASSPHRASE)\b/g;

/** The names of what code reads from the environment beside the Client Secret. */
export const randomNames = (code: string): string[] => [...new Set(code.match(RANDOM))];

/**
 * @param notes comments: which secret it is, and how to come by a random text
 * @param random the names of the random texts that the code wants besides
 */
export function envFile(
  { clientId, clientSecret = '', issuer, redirectUri, scopes }: Environment,
  notes: { secret: string; random: string },
  random: readonly string[] = [],
): string {
  return [
    ...(clientSecret === '' ? [`# ${notes.secret}`] : []),
    `CLIENT_SECRET=${clientSecret}`,
    ...(random.length === 0 ? [] : [`# ${notes.random}`, ...random.map((name) => `${name}=`)]),
    `CLIENT_ID=${clientId}`,
    `ISSUER=${quoted(issuer)}`,
    `REDIRECT_URI=${quoted(redirectUri)}`,
    `SCOPE=${quoted(scopes.join(' '))}`,
  ].join('\n');
}

/** As readers of such files agree on: quotes only where they are needed, double ones only around single ones. */
const quoted = (text: string): string => {
  if (/^[\w./:@+~-]*$/.test(text)) return text;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
};
