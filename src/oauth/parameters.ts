// Parameters of a query or a form-encoded body: parsed once, strictly, without losing what was wrong with them.
import { invalidRequest, type OAuthError } from './errors.ts';
import { parameterName } from './shown.ts';

/**
 * What a request sent. `get` gives a value, or undefined when it is absent or empty (RFC 6749 §3.1: a parameter
 * without a value is treated as omitted). A repeated or undecodable parameter has no value, only an entry in its set.
 */
export interface Parameters {
  get(name: string): string | undefined;
  /** Every value of a name that may come several times, empty ones left out: for the checkboxes of our own pages. */
  all(name: string): string[];
  readonly repeated: ReadonlySet<string>;
  readonly malformed: ReadonlySet<string>;
  entries(): IterableIterator<[string, string]>;
}

/** RFC 8707 §2 lets a request name several resources; every other parameter may come once. */
const REPEATABLE = new Set(['resource']);

// Control characters have no place in any parameter, and PostgreSQL refuses NUL in text. U+FFFD is what raw bytes
// that are not UTF-8 have become before they come here.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/;

/**
 * Parses `application/x-www-form-urlencoded` text. Never throws: bad percent-encoding, bad UTF-8 and control
 * characters put the name into `malformed`.
 */
export function parseParameters(text: string): Parameters {
  const values = new Map<string, string>();
  const further: [string, string][] = [];
  const repeated = new Set<string>();
  const malformed = new Set<string>();
  for (const pair of text === '' ? [] : text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined) continue; // not a name anybody could ask for
    if (values.has(name) || malformed.has(name)) {
      repeated.add(name);
      if (value === undefined)
        malformed.add(name); // where it may come several times, each has to be readable
      else further.push([name, value]);
    } else if (value === undefined) malformed.add(name);
    else values.set(name, value);
  }
  for (const name of repeated) if (REPEATABLE.has(name)) repeated.delete(name);
  return {
    get: (name) => (repeated.has(name) ? undefined : values.get(name) || undefined),
    all: (name) =>
      [values.get(name), ...further.map(([other, value]) => (other === name ? value : ''))].filter(
        (value): value is string => value !== undefined && value !== '',
      ),
    repeated,
    malformed,
    entries: () => values.entries(),
  };
}

function decode(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return CONTROL.test(text) ? undefined : text;
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return CONTROL.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/**
 * The first fault of the whole request, or undefined when there is none (D17).
 * @param several names that may come several times here
 */
export function faultOf(parameters: Parameters, several: readonly string[] = []): OAuthError | undefined {
  for (const name of parameters.repeated)
    if (!several.includes(name))
      return invalidRequest(`The parameter ${quote(name)} was sent more than once.`, {
        kind: 'parameter_repeated',
        parameter: parameterName(name),
      });
  for (const name of parameters.malformed)
    return invalidRequest(
      `The parameter ${quote(name)} is not percent-encoded UTF-8 text without control characters.`,
      { kind: 'parameter_malformed', parameter: parameterName(name) },
    );
  return undefined;
}

/** A name from outside, fit for a public description: short, printable ASCII (RFC 6749 §5.2). */
function quote(name: string): string {
  return `'${name.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 40)}'`;
}
