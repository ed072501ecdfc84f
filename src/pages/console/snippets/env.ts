// Formats a client's .env file.

export interface Environment {
  clientId: string;
  /** Undefined if the secret can no longer be shown. In that case, the file contains an empty secret. */
  clientSecret?: string | undefined;
  issuer: string;
  redirectUri: string;
  scopes: readonly string[];
}

/** The variables for registered values, in file order. */
const REGISTERED = ['CLIENT_ID', 'ISSUER', 'REDIRECT_URI', 'SCOPE'];
/** Secrets other than the client secret. Developers generate a random string for each. */
const RANDOM = ['SESSION_SECRET', 'AUTH_SECRET', 'COOKIE_SECRET', 'CRYPTO_PASSPHRASE'];

/** Finds the environment variables that sample code reads, except the client secret. */
export const findVariables = (code: string): string[] =>
  [...RANDOM, ...REGISTERED].filter((name) => new RegExp(`\\b${name}\\b`).test(code));

/**
 * @param notes comments that identify the secret and explain how to generate a random string
 * @param variables the variables to include besides the client secret
 */
export function formatEnvFile(
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

/** Quotes a value if necessary, in a syntax that all `.env` parsers interpret alike. */
const quoted = (text: string): string => {
  if (/^[\w./:@+~-]*$/.test(text)) return text;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
};
