// Formats a client's .env file.

export interface Environment {
  clientId: string;
  /** Undefined if the secret can no longer be shown. In this case, the file contains an empty value. */
  clientSecret?: string | undefined;
  issuer: string;
  redirectUri: string;
  scopes: readonly string[];
}

const SECRET_VARIABLE = 'CLIENT_SECRET';
const REGISTERED_VARIABLES = ['CLIENT_ID', 'ISSUER', 'REDIRECT_URI', 'SCOPE'];
/** Developers generate a random string for each of these variables. */
const RANDOM_VARIABLES = ['SESSION_SECRET', 'AUTH_SECRET', 'COOKIE_SECRET', 'CRYPTO_PASSPHRASE'];
/** Vite exposes only variables with this prefix to pages. */
const VITE_PREFIX = 'VITE_';

export const findEnvVariables = (code: string): string[] =>
  [
    SECRET_VARIABLE,
    ...RANDOM_VARIABLES,
    ...REGISTERED_VARIABLES,
    ...REGISTERED_VARIABLES.map((name) => VITE_PREFIX + name),
  ].filter((name) => new RegExp(`\\b${name}\\b`).test(code));

export function formatEnvFile(
  { clientId, clientSecret = '', issuer, redirectUri, scopes }: Environment,
  notes: { secret: string; random: string },
  variables: readonly string[] = [SECRET_VARIABLE, ...REGISTERED_VARIABLES],
): string {
  const values: Record<string, string> = {
    CLIENT_ID: clientId,
    ISSUER: issuer,
    REDIRECT_URI: redirectUri,
    SCOPE: scopes.join(' '),
  };
  const random = variables.filter((name) => RANDOM_VARIABLES.includes(name));
  const registered = variables.filter((name) => name !== SECRET_VARIABLE && !RANDOM_VARIABLES.includes(name));
  const hasSecret = variables.includes(SECRET_VARIABLE);
  return [
    ...(hasSecret && clientSecret === '' ? [`# ${notes.secret}`] : []),
    ...(hasSecret ? [`${SECRET_VARIABLE}=${clientSecret}`] : []),
    ...(random.length === 0 ? [] : [`# ${notes.random}`, ...random.map((name) => `${name}=`)]),
    ...registered.map((name) => `${name}=${quoteIfNeeded(values[name.replace(VITE_PREFIX, '')] ?? '')}`),
  ].join('\n');
}

/** All `.env` parsers read this syntax the same way. */
const quoteIfNeeded = (text: string): string => {
  if (/^[\w./:@+~-]*$/.test(text)) return text;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
};
