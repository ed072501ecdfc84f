// Parses `acr_values`, and `acr` and `sub` in `claims` (OpenID Connect Core §5.5.1).
import { type Acr, type AuthenticationMethod, isAcr, meetsAcr } from './authentication-methods.ts';
import { invalidRequest, OAuthError } from './errors.ts';
import type { Parameters } from './parameters.ts';
import { isObject, parseJsonObject } from './parse-json.ts';
import { redactText } from './redaction.ts';

/** Values are in order of preference. If `essential` is true, the session must meet one of them. */
export interface RequestedAcr {
  values: Acr[];
  essential: boolean;
}

/**
 * `subject` is the account ID that `claims` requires.
 * @throws OAuthError if `claims` is malformed or all essential values are unknown
 */
export function parseRequestedAcr(parameters: Parameters): {
  acr: RequestedAcr;
  subject: string | undefined;
} {
  const claims = parseClaimsParameter(parameters.get('claims'));
  if (claims === undefined)
    throw invalidRequest('claims must be a JSON object as defined in OpenID Connect Core, section 5.5.', {
      kind: 'claims_invalid',
    });
  const { requested, essential, subject } = claims;
  const voluntary = essential ? [] : (parameters.get('acr_values')?.split(' ') ?? []);
  const values = [...new Set([...requested, ...voluntary])].filter(isAcr);
  if (essential && values.length === 0) throw unmetAcrError(requested);
  return { acr: { values, essential }, subject };
}

/** See OpenID Connect Core Error Code unmet_authentication_requirements 1.0 §2. */
export const unmetAcrError = (values: readonly string[]): OAuthError =>
  new OAuthError(
    400,
    'unmet_authentication_requirements',
    'The user cannot satisfy any of the essential acr values.',
    {
      kind: 'acr_unmet',
      sent: redactText(values.join(' ')),
    },
  );

function parseClaimsParameter(
  json: string | undefined,
): { requested: string[]; essential: boolean; subject: string | undefined } | undefined {
  const claims = json === undefined ? {} : parseJsonObject(json);
  if (claims === undefined) return undefined;
  const { id_token: idToken = {} } = claims;
  if (!isObject(idToken)) return undefined;
  // Null requests a claim without a specific value (OpenID Connect Core §5.5.1).
  const [acr, sub] = [idToken.acr ?? {}, idToken.sub ?? {}];
  if (!isObject(acr) || !isObject(sub)) return undefined;
  const { essential = false, value, values = value === undefined ? [] : [value] } = acr;
  if (typeof essential !== 'boolean' || !Array.isArray(values)) return undefined;
  if (!values.every((acrValue) => typeof acrValue === 'string')) return undefined;
  const { value: subject } = sub;
  if (subject !== undefined && typeof subject !== 'string') return undefined;
  // An essential acr without a value is always met because every id_token contains acr.
  return { requested: values, essential: essential && values.length > 0, subject };
}

export function toAcrParameters({ values, essential }: RequestedAcr, subject: string | undefined) {
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
 * @param available the account's methods other than the password
 * @returns `step-up` if another method would meet a more preferred value
 */
export function evaluateAcr(
  { values }: RequestedAcr,
  methods: readonly AuthenticationMethod[],
  available: readonly AuthenticationMethod[],
): 'met' | 'step-up' | 'unmet' {
  for (const acr of values) {
    if (meetsAcr(acr, methods)) return 'met';
    if (available.some((method) => meetsAcr(acr, [...methods, method]))) return 'step-up';
  }
  return values.length === 0 ? 'met' : 'unmet';
}
