// What an authorization request asks of how the person gets in: `acr_values`, and `acr` and `sub` in `claims` (OpenID Connect
// Core §3.1.2.1, §5.5). Of `claims` nothing else counts: every other member is a wish, and may be left out (§5.5.1).
import { type Acr, isAcr, type Method, meets } from './authentication-methods.ts';
import { invalidRequest, OAuthError } from './errors.ts';
import { isObject, objectIn } from './json.ts';
import type { Parameters } from './parameters.ts';
import { printable } from './shown.ts';

/** What is asked, what the application prefers first, and whether nothing else will do. */
export interface AskedAcr {
  values: Acr[];
  essential: boolean;
}

/** @returns what is asked, and the only account that may answer. @throws OAuthError if it can't be read or met */
export function askedOf(parameters: Parameters): { acr: AskedAcr; subject: string | undefined } {
  const claims = claimsOf(parameters.get('claims'));
  if (claims === undefined)
    throw invalidRequest('claims must be JSON as OpenID Connect Core, section 5.5, says.', {
      kind: 'claims_unreadable',
    });
  const { wanted, essential, subject } = claims;
  const wishes = essential ? [] : (parameters.get('acr_values')?.split(' ') ?? []);
  // A value that nobody knows is a wish that cannot be met.
  const values = [...new Set([...wanted, ...wishes])].filter(isAcr);
  if (essential && values.length === 0) throw acrUnmet(wanted);
  return { acr: { values, essential }, subject };
}

/** OpenID Connect Core Error Code unmet_authentication_requirements §2. */
export const acrUnmet = (values: readonly string[]): OAuthError =>
  new OAuthError(
    400,
    'unmet_authentication_requirements',
    'The person cannot sign in as the essential acr asks.',
    { kind: 'acr_unmet', sent: printable(values.join(' ')) },
  );

/** What of `claims` counts; undefined where it cannot be read. */
function claimsOf(
  text: string | undefined,
): { wanted: string[]; essential: boolean; subject: string | undefined } | undefined {
  const claims = text === undefined ? {} : objectIn(text);
  if (claims === undefined) return undefined;
  const { id_token: idToken = {} } = claims;
  if (!isObject(idToken)) return undefined;
  // Null asks for the claim itself, which is always there (§5.5.1).
  const [acr, sub] = [idToken.acr ?? {}, idToken.sub ?? {}];
  if (!isObject(acr) || !isObject(sub)) return undefined;
  const { essential = false, value, values = value === undefined ? [] : [value] } = acr;
  if (typeof essential !== 'boolean' || !Array.isArray(values)) return undefined;
  if (!values.every((one) => typeof one === 'string')) return undefined;
  const { value: subject } = sub;
  if (subject !== undefined && typeof subject !== 'string') return undefined;
  // Essential without a value: whatever is claimed will do.
  return { wanted: values, essential: essential && values.length > 0, subject };
}

/** The parameters that ask the same once more. */
export function askingAgain({ values, essential }: AskedAcr, subject: string | undefined) {
  const idToken = {
    ...(essential && { acr: { essential, values } }),
    ...(subject !== undefined && { sub: { value: subject } }),
  };
  return {
    acr_values: essential ? undefined : values.join(' ') || undefined,
    claims: Object.keys(idToken).length > 0 ? JSON.stringify({ id_token: idToken }) : undefined,
  };
}

/**
 * How what was shown stands to what is asked.
 * @param means what the account has to show
 * @returns `step-up` where one step more meets it, or what the application prefers to what is met
 */
export function acrStanding(
  { values }: AskedAcr,
  methods: readonly Method[],
  means: readonly Method[],
): 'met' | 'step-up' | 'unmet' {
  for (const acr of values) {
    if (meets(acr, methods)) return 'met';
    if (means.some((method) => meets(acr, [...methods, method]))) return 'step-up';
  }
  return values.length === 0 ? 'met' : 'unmet';
}
