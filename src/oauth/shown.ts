// Texts from outside as they may be kept and shown: never a code, token, secret or password in them.

/** What somebody sent where one of a few words belongs: shown only where it looks like a word. */
export const printable = (text: string): string => (/^[A-Za-z0-9_:./+ -]{1,40}$/.test(text) ? text : '…');

/** The name of a parameter, shown only where it looks like one. */
export const parameterName = (text: string): string => (/^[a-z_]{1,40}$/.test(text) ? text : '…');

const NAMES =
  'code|state|nonce|token|access_token|refresh_token|id_token|client_secret|code_verifier|password|assertion|' +
  'client_assertion|device_code|user_code|secret|passwd|pwd|api_key';
/** Their values, in an address that was encoded once more, too: that mistake has a name of its own. */
const CREDENTIALS = new RegExp(`((?:[?&#]|%3f|%26|%23)(?:${NAMES})(?:=|%3d))(?:(?!%26|%23)[^&#])*`, 'gi');

/**
 * An address fit to be kept and shown: what looks like a code, a token, a secret or a password in it is left out, and
 * it is at most 2,000 characters long.
 */
export const withoutCredentials = (address: string): string =>
  address
    .replace(CREDENTIALS, '$1…')
    .replace(/(:\/\/[^/?#@:]*:)[^/?#]*@/, '$1…@') // up to the last @, as the browser reads it
    .replace(/sesame_(ac|rt|dc|secret|api_secret)_[A-Za-z0-9_.-]*/g, 'sesame_$1_…')
    .replace(/[A-Za-z0-9_.-]+/g, withoutJwt)
    .slice(0, 2000)
    .replace(/[\ud800-\udbff]$/, ''); // never half a character, which no JSON of the database's takes

/** Run by run, so that its length is all that it costs: a pattern that begins at every `eyJ` looks to the end from each. */
function withoutJwt(run: string): string {
  const start = run.indexOf('eyJ');
  return start >= 0 && run.includes('.', start) ? `${run.slice(0, start)}…` : run;
}
