// Redacts values from requests before they are stored or shown.

/** Keeps only short values that look like a keyword or scope. */
export const redactText = (value: string): string => (/^[A-Za-z0-9_:./+ -]{1,40}$/.test(value) ? value : '…');

export const redactParameterName = (value: string): string => (/^[a-z_]{1,40}$/.test(value) ? value : '…');

const CREDENTIAL_PARAMETERS =
  'code|state|nonce|token|access_token|refresh_token|id_token|client_secret|code_verifier|password|assertion|' +
  'client_assertion|device_code|user_code|secret|passwd|pwd|api_key';
/** Also matches credentials inside a percent-encoded URL. */
const CREDENTIALS_PATTERN = new RegExp(
  `((?:[?&#]|%3f|%26|%23)(?:${CREDENTIAL_PARAMETERS})(?:=|%3d))(?:(?!%26|%23)[^&#])*`,
  'gi',
);

/** Removes credentials from a URL and truncates it to 2,000 characters. */
export const redactUrl = (url: string): string =>
  url
    .replace(CREDENTIALS_PATTERN, '$1…')
    // The last @ ends the password, as in browsers.
    .replace(/(:\/\/[^/?#@:]*:)[^/?#]*@/, '$1…@')
    .replace(/sesame_(ac|rt|dc|secret|api_secret)_[A-Za-z0-9_.-]*/g, 'sesame_$1_…')
    .replace(/[A-Za-z0-9_.-]+/g, redactJwt)
    .slice(0, 2000)
    // Truncation can split a surrogate pair, which PostgreSQL's JSON rejects.
    .replace(/[\ud800-\udbff]$/, '');

/** Uses no regular expression because matching would take quadratic time. */
function redactJwt(characters: string): string {
  const start = characters.indexOf('eyJ');
  return start >= 0 && characters.includes('.', start) ? `${characters.slice(0, start)}…` : characters;
}
