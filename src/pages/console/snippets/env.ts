// The file .env of an application: what its code takes from the environment, ready to be copied.

export interface Environment {
  clientId: string;
  /** Undefined where it can no longer be shown: its line is left to be filled in. */
  clientSecret?: string | undefined;
  issuer: string;
  redirectUri: string;
  scopes: readonly string[];
}

/** What the registration says, in the order of the file. */
const REGISTERED = ['CLIENT_ID', 'ISSUER', 'REDIRECT_URI', 'SCOPE'];
/** Further secrets that templates read, each a random text of the application's own. */
const RANDOM = ['SESSION_SECRET', 'AUTH_SECRET', 'COOKIE_SECRET', 'CRYPTO_PASSPHRASE'];

/** The variables that code reads from the environment, besides the Client Secret. */
export const variablesOf = (code: string): string[] =>
  [...RANDOM, ...REGISTERED].filter((name) => new RegExp(`\\b${name}\\b`).test(code));

/**
 * @param notes comments: which secret it is, and how to come by a random text
 * @param variables what the code reads besides the Client Secret
 */
export function envFile(
  { clientId, clientSecret = '', issuer, redirectUri, scopes }: Environment,
  notes: { secret: string; random: string },
  variables: readonly string[] = REGISTERED,
): string {
  const values: Record<string, string> = {
    CLIENT_ID: clientId,
    ISSUER: issuer,
    REDIRECT_URI: redirectUri,
    SCOPE: scopes.join(' '),
  };
  const random = variables.filter((name) => RANDOM.includes(name));
  return [
    ...(clientSecret === '' ? [`# ${notes.secret}`] : []),
    `CLIENT_SECRET=${clientSecret}`,
    ...(random.length === 0 ? [] : [`# ${notes.random}`, ...random.map((name) => `${name}=`)]),
    ...REGISTERED.filter((name) => variables.includes(name)).map(
      (name) => `${name}=${quoted(values[name] ?? '')}`,
    ),
  ].join('\n');
}

/** As readers of such files agree on: quotes only where they are needed, double ones only around single ones. */
const quoted = (text: string): string => {
  if (/^[\w./:@+~-]*$/.test(text)) return text;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
};
