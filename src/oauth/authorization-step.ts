// Decides the next step of an authorization request: sign-in, MFA, consent or response.

import {
  findAvailabilityError,
  noApiScopeError,
  type RequestedApi,
  toConsentScopes,
  unknownResourceError,
} from './api.ts';
import { type AuthenticationMethod, hasLocalMfa, isMultiFactor, meetsAcr } from './authentication-methods.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Client } from './client.ts';
import { normalizeEmail } from './email.ts';
import { OAuthError } from './errors.ts';
import { isLocalRedirectUri } from './redirect-uri.ts';
import type { RefusalReason } from './refusal-reason.ts';
import { evaluateAcr, unmetAcrError } from './requested-acr.ts';
import { removeOfflineAccess } from './scopes.ts';

/** Times are in milliseconds since the Unix epoch. */
export interface AuthorizationState {
  request: AuthorizationRequest;
  startedAt: number;
  client: Client;
  /** When the user completed the sign-in, including MFA (ADR 13). Undefined without a session. */
  signedInAt: number | undefined;
  /** When the user last signed in to this service. An identity provider may report an earlier `signedInAt`. */
  identifiedAt: number | undefined;
  userId: string | undefined;
  email: string | undefined;
  hasOtherAccounts: boolean;
  methods: readonly AuthenticationMethod[];
  /** The account's authentication methods other than the password. */
  availableMethods: readonly AuthenticationMethod[];
  requiresTotp: boolean;
  isMfaRequired: boolean;
  skipsVoluntaryAcr: boolean;
  selectedUserId: string | undefined;
  consentedScopes: readonly string[];
  apis: readonly RequestedApi[];
  now: number;
}

export type AuthorizationStep =
  | { next: 'choose' | 'sign-in' | 'enroll' | 'consent' | 'issue' }
  | { next: 'step-up'; by: AuthenticationMethod[] }
  | { next: 'refuse'; refusal: OAuthError };

/** See OpenID Connect Core §3.1.2.3 and §3.1.2.6. */
export function decideNextStep(state: AuthorizationState): AuthorizationStep {
  const { request } = state;
  const isSilent = request.prompts.includes('none');
  const unavailable = findApiError(state);
  if (unavailable !== undefined) return { next: 'refuse', refusal: unavailable };
  if (isOtherAccount(state))
    return createErrorStep(
      'login_required',
      'The user signed in to a different account from the one in id_token_hint or claims.',
      {
        kind: 'signed_in_as_other_user',
      },
    );
  if (needsAccountSelection(state)) return { next: 'choose' };
  if (needsSignIn(state))
    return isSilent
      ? createErrorStep(
          'login_required',
          'The user is not signed in, or the sign-in does not meet the requirements of the request.',
          {
            kind: 'not_signed_in',
          },
        )
      : { next: 'sign-in' };
  const stepUp = decideStepUp(state);
  if (stepUp !== undefined) return stepUp;
  if (!needsConsent(state)) return { next: 'issue' };
  return isSilent
    ? createErrorStep('consent_required', 'User consent is required.', { kind: 'consent_needed' })
    : { next: 'consent' };
}

const createErrorStep = (error: string, description: string, reason: RefusalReason): AuthorizationStep => ({
  next: 'refuse',
  refusal: new OAuthError(400, error, description, reason),
});

const wasIdentifiedDuringRequest = ({
  startedAt,
  identifiedAt,
  userId,
  selectedUserId,
}: AuthorizationState): boolean =>
  identifiedAt !== undefined && (identifiedAt >= startedAt || selectedUserId === userId);

/** Whether the user chose an account other than the hinted one (OpenID Connect Core §3.1.2.1). */
const isOtherAccount = (state: AuthorizationState): boolean =>
  state.request.hintedUserId !== undefined &&
  wasIdentifiedDuringRequest(state) &&
  state.userId !== state.request.hintedUserId;

/** If the request names an account that isn't signed in, the sign-in page is shown. */
function needsAccountSelection(state: AuthorizationState): boolean {
  const { request, signedInAt, userId, email, hasOtherAccounts } = state;
  if (signedInAt === undefined || wasIdentifiedDuringRequest(state)) return false;
  if (request.prompts.includes('select_account')) return true;
  return (
    hasOtherAccounts &&
    !request.prompts.includes('none') &&
    !(userId !== undefined && email !== undefined && isHintedAccount(request, { userId, email })) &&
    !needsSignIn(state)
  );
}

/** Whether id_token_hint, `claims` or login_hint names the account. */
export const isHintedAccount = (
  { hintedUserId, loginHint }: Pick<AuthorizationRequest, 'hintedUserId' | 'loginHint'>,
  { userId, email }: { userId: string; email: string },
): boolean => (hintedUserId === undefined ? matchesLoginHint(loginHint, email) : hintedUserId === userId);

export const matchesLoginHint = (hint: string | undefined, email: string): boolean =>
  hint !== undefined && normalizeEmail(hint).toLowerCase() === normalizeEmail(email).toLowerCase();

function needsSignIn({ request, startedAt, signedInAt, userId, now }: AuthorizationState): boolean {
  if (signedInAt === undefined) return true;
  if (signedInAt >= startedAt) return false;
  if (request.hintedUserId !== undefined && userId !== request.hintedUserId) return true;
  if (request.prompts.includes('login')) return true;
  return request.maxAge !== undefined && signedInAt + request.maxAge * 1000 < now;
}

type MissingAuthentication = 'unmet' | 'enroll' | 'step-up' | undefined;

function findMissingAuthentication(state: AuthorizationState): MissingAuthentication {
  const { request, methods, availableMethods, isMfaRequired, skipsVoluntaryAcr } = state;
  const { values, essential } = request.acr;
  const result = evaluateAcr(request.acr, methods, availableMethods);
  const isUnreachable = essential && result === 'unmet';
  if (isUnreachable && !canMeetAcrWithTotp(state)) return 'unmet';
  if (isUnreachable || (isMfaRequired && !isMultiFactor(methods) && availableMethods.length === 0))
    return 'enroll';
  const mustBeMet = essential && !values.some((acr) => meetsAcr(acr, methods));
  const isRequested = result === 'step-up' && (mustBeMet || !skipsVoluntaryAcr);
  return isRequested || (isMfaRequired && !isMultiFactor(methods)) || needsFreshMfa(state)
    ? 'step-up'
    : undefined;
}

/** With prompt=none, a voluntary acr is ignored. */
function decideStepUp(state: AuthorizationState): AuthorizationStep | undefined {
  const isSilent = state.request.prompts.includes('none');
  switch (findMissingAuthentication(isSilent ? { ...state, skipsVoluntaryAcr: true } : state)) {
    case 'unmet':
      return { next: 'refuse', refusal: unmetAcrError(state.request.acr.values) };
    case 'enroll':
      return isSilent
        ? createErrorStep('interaction_required', 'The user must set up MFA.', NOT_SIGNED_IN_REASON)
        : { next: 'enroll' };
    case 'step-up':
      return isSilent
        ? createErrorStep(
            'login_required',
            'Multi-factor authentication is required. The user must sign in again.',
            NOT_SIGNED_IN_REASON,
          )
        : { next: 'step-up', by: listStepUpMethods(state) };
    default:
      return undefined;
  }
}

/**
 * Returns the methods that complete the step-up. For a voluntary acr, each returned method meets a requested
 * value that the session doesn't meet yet.
 */
function listStepUpMethods(state: AuthorizationState): AuthenticationMethod[] {
  const { request, methods, availableMethods } = state;
  const withoutVoluntaryAcr = { ...state, skipsVoluntaryAcr: true };
  const isVoluntary = findMissingAuthentication(withoutVoluntaryAcr) === undefined;
  return availableMethods.filter((method) => {
    const newMethods = [...methods, method];
    return isVoluntary
      ? request.acr.values.some((acr) => !meetsAcr(acr, methods) && meetsAcr(acr, newMethods))
      : findMissingAuthentication({ ...withoutVoluntaryAcr, methods: newMethods }) === undefined;
  });
}

const NOT_SIGNED_IN_REASON = { kind: 'not_signed_in' } as const;

const canMeetAcrWithTotp = ({ request: { acr }, methods, requiresTotp }: AuthorizationState): boolean =>
  !requiresTotp && acr.values.some((value) => meetsAcr(value, [...methods, 'otp']));

/** With `max_age` or prompt=login, a remembered device doesn't replace the second factor. */
const needsFreshMfa = ({ request, requiresTotp, methods }: AuthorizationState): boolean =>
  requiresTotp &&
  !hasLocalMfa(methods) &&
  (request.prompts.includes('login') || request.maxAge !== undefined);

/** APIs and their scopes may have changed since the request arrived. */
function findApiError({ request, apis }: AuthorizationState): OAuthError | undefined {
  for (const { apiId, identifier, scopes } of request.apis) {
    const api = apis.find((candidate) => candidate.apiId === apiId);
    const refusal = api === undefined ? unknownResourceError(identifier) : findAvailabilityError(api);
    if (api === undefined || refusal !== undefined) return refusal;
    const available = api.scopes.map(({ name }) => name);
    // True if the API had no scopes when the request arrived, but has some now.
    const lacksScopes = scopes.length === 0 && !request.userSelectsScopes && !api.scopeless;
    if (lacksScopes || !scopes.every((scope) => available.includes(scope)))
      return noApiScopeError(identifier, scopes.join(' '));
  }
  return undefined;
}

function needsConsent({ request, client, consentedScopes, apis }: AuthorizationState): boolean {
  if (request.prompts.includes('consent')) return true;
  // Agents aren't verified, so they need consent every time.
  if (client.agent === true) return true;
  if (request.apis.some(({ apiId, scopes }) => hasSensitiveScope(apis, apiId, scopes))) return true;
  // Other apps on the user's device may be able to intercept the code (RFC 8252 §8.6).
  if (client.type === 'public' && isLocalRedirectUri(request.redirectUri)) return true;
  const requested = [...removeOfflineAccess(request.scopes), ...toConsentScopes(request.apis)];
  return requested.some((scope) => !consentedScopes.includes(scope));
}

const hasSensitiveScope = (
  apis: readonly RequestedApi[],
  apiId: string,
  scopes: readonly string[],
): boolean =>
  apis.some(
    (api) =>
      api.apiId === apiId && api.scopes.some(({ name, sensitive }) => sensitive && scopes.includes(name)),
  );
