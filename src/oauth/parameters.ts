// Parameters of a query or a form-encoded body: parsed once, strictly, without losing what was wrong with them.
import { invalidRequest, type OAuthError } from './errors.ts';
import { parameterName } from './shown.ts';

/** Name/value pairs of one query or form: what is read of a request takes time for each. */
export const MAX_PAIRS = 200;

/**
 * What a request sent. `get` gives a value, or undefined when it is absent or empty (RFC 6749 §3.1: a parameter
 * without a value is treated as omitted). A repeated or undecodable parameter has no value, only an entry in its set.
 */
export interface Parameters {
  get(name: string): string | undefined;
  /** Every value of a name that may come several times, empty ones left out: for the checkboxes of our own pages. */
  all(name: string): readonly string[];
  readonly repeated: ReadonlySet<string>;
  readonly malformed: ReadonlySet<string>;
  /** More pairs than `MAX_PAIRS` were sent; those after them were not read (http/parameters.ts refuses the request). */
  readonly tooMany: boolean;
  /** Every pair that could be read, in order. */
  readonly entries: readonly [name: string, value: string][];
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
  const entries: [string, string][] = [];
  const values = new Map<string, string[]>();
  const repeated = new Set<string>();
  const malformed = new Set<string>();
  const { pairs, tooMany } = pairsOf(text);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined) continue; // not a name anybody could ask for
    const before = values.get(name);
    if (before !== undefined || malformed.has(name)) repeated.add(name);
    if (value === undefined) malformed.add(name);
    else {
      entries.push([name, value]);
      values.set(name, [...(before ?? []), value]);
    }
  }
  for (const name of repeated) if (REPEATABLE.has(name)) repeated.delete(name);
  return {
    get: (name) => (repeated.has(name) ? undefined : values.get(name)?.[0] || undefined),
    all: (name) => values.get(name)?.filter((value) => value !== '') ?? [],
    repeated,
    malformed,
    tooMany,
    entries,
  };
}

/** The pairs of a query or form that are not empty, up to `MAX_PAIRS`. */
function pairsOf(text: string): { pairs: string[]; tooMany: boolean } {
  const pairs: string[] = [];
  for (let start = 0, end: number; start < text.length; start = end + 1) {
    end = text.indexOf('&', start);
    if (end < 0) end = text.length;
    if (end === start) continue;
    if (pairs.length === MAX_PAIRS) return { pairs, tooMany: true };
    pairs.push(text.slice(start, end));
  }
  return { pairs, tooMany: false };
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
