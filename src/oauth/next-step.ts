// The one next step of an authorization request: choose an account, sign in, show more, consent, give a code, or tell the
// application why not.

import { consentElements, type NamedApi, noScopeOf, standingRefusal, unknownResource } from './api.ts';
import { acrStanding, acrUnmet } from './asked-acr.ts';
import { isStrong, type Method, meets } from './authentication-methods.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Client } from './client.ts';
import { readEmail } from './email.ts';
import { OAuthError } from './errors.ts';
import type { Reason } from './reason.ts';
import { isLocalCallback } from './redirect-uri.ts';
import { dataScopes } from './scopes.ts';

/** What the decision rests on. Times are in milliseconds since 1970. */
export interface Situation {
  request: AuthorizationRequest;
  /** When the request arrived. */
  startedAt: number;
  client: Client;
  /** Who is in front of the browser, and since when: all that their account asks for counts (ADR 13); undefined when nobody is. */
  signedInAt: number | undefined;
  userId: string | undefined;
  /** The email address of their account. */
  email: string | undefined;
  /** Whether other accounts are signed in in the same browser. */
  otherAccounts: boolean;
  /** What they have shown in this session. */
  methods: readonly Method[];
  /** What their account could show beside the password. */
  means: readonly Method[];
  /** Whether their account asks for a code after the password. */
  asksForCode: boolean;
  /** Whether a second factor is demanded of them, by the application or the service (D42). */
  demanded: boolean;
  /** Whether they chose to go on without what the application only wished for. */
  wishAnswered: boolean;
  /** The account that the person chose on the way of this very request. */
  chosen: string | undefined;
  consentedScopes: readonly string[];
  /** The APIs that the request names, as they stand now. */
  apis: readonly NamedApi[];
  now: number;
}

export type Step =
  | { next: 'choose' | 'sign-in' | 'enrol' | 'consent' | 'issue' }
  /** By any of these. */
  | { next: 'step-up'; by: Method[] }
  | { next: 'refuse'; refusal: OAuthError };

/** Decides the step (OpenID Connect Core §3.1.2.3, §3.1.2.6; D2, D7). */
export function nextStep(situation: Situation): Step {
  const { request } = situation;
  const silent = request.prompts.includes('none');
  const gone = goneApi(situation);
  if (gone !== undefined) return { next: 'refuse', refusal: gone };
  if (isSomebodyElse(situation))
    return refuse('login_required', 'The person signed in with another account than id_token_hint names.', {
      kind: 'signed_in_as_other',
    });
  if (needsChoice(situation)) return { next: 'choose' };
  if (needsSignIn(situation))
    return silent
      ? refuse('login_required', 'The person is not signed in, or not as the application wants it.', {
          kind: 'not_signed_in',
        })
      : { next: 'sign-in' };
  const more = moreToShow(situation);
  if (more !== undefined) return more;
  if (!needsConsent(situation)) return { next: 'issue' };
  return silent
    ? refuse('consent_required', 'The person has to be asked for consent.', { kind: 'consent_needed' })
    : { next: 'consent' };
}

const refuse = (error: string, description: string, reason: Reason): Step => ({
  next: 'refuse',
  refusal: new OAuthError(400, error, description, reason),
});

/** Whether the person said on the way of this very request who they are: by signing in, or by choosing an account. */
const saidWho = ({ startedAt, signedInAt, userId, chosen }: Situation): boolean =>
  signedInAt !== undefined && (signedInAt >= startedAt || chosen === userId);

/** They said that they are somebody whom the application did not mean (OpenID Connect Core §3.1.2.1). */
const isSomebodyElse = (situation: Situation): boolean =>
  situation.request.hintedUserId !== undefined &&
  saidWho(situation) &&
  situation.userId !== situation.request.hintedUserId;

/**
 * The person chooses if the client asks for it, or if several accounts are signed in and the request doesn't name the active
 * one. A request that names another one leads to the choice by way of needsSignIn. Signing in is a choice, too.
 */
function needsChoice(situation: Situation): boolean {
  const { request, signedInAt, otherAccounts } = situation;
  if (signedInAt === undefined || saidWho(situation)) return false;
  if (request.prompts.includes('select_account')) return true;
  return otherAccounts && !request.prompts.includes('none') && !isNamed(situation) && !needsSignIn(situation);
}

/** Whether id_token_hint, claims or login_hint name the active account. */
const isNamed = ({ request, userId, email }: Situation): boolean =>
  request.hintedUserId === undefined
    ? email !== undefined && matchesLoginHint(request.loginHint, email)
    : request.hintedUserId === userId;

/** Whether login_hint names an account, by its email address. */
export const matchesLoginHint = (hint: string | undefined, email: string): boolean =>
  hint !== undefined && readEmail(hint).toLowerCase() === readEmail(email).toLowerCase();

function needsSignIn({ request, startedAt, signedInAt, userId, now }: Situation): boolean {
  if (signedInAt === undefined) return true;
  if (signedInAt >= startedAt) return false; // signed in on the way of this very request
  if (request.hintedUserId !== undefined && userId !== request.hintedUserId) return true;
  if (request.prompts.includes('login')) return true;
  return request.maxAge !== undefined && signedInAt + request.maxAge * 1000 < now;
}

/** What is missing of what is asked of the sign-in. */
type Lack = 'unmet' | 'enrol' | 'step-up' | undefined;

function lackOf(situation: Situation): Lack {
  const { request, methods, means, demanded, wishAnswered } = situation;
  const { values, essential } = request.acr;
  const standing = acrStanding(request.acr, methods, means);
  const isOutOfReach = essential && standing === 'unmet';
  if (isOutOfReach && !canEnrolFor(situation)) return 'unmet';
  if (isOutOfReach || (demanded && !isStrong(methods) && means.length === 0)) return 'enrol';
  const mustBeMet = essential && !values.some((acr) => meets(acr, methods));
  const isWanted = standing === 'step-up' && (mustBeMet || !wishAnswered);
  return isWanted || (demanded && !isStrong(methods)) || needsFullProof(situation) ? 'step-up' : undefined;
}

/** The step, or the end, that it leads to; without a page a wish is let go. */
function moreToShow(situation: Situation): Step | undefined {
  const silent = situation.request.prompts.includes('none');
  switch (lackOf(silent ? { ...situation, wishAnswered: true } : situation)) {
    case 'unmet':
      return { next: 'refuse', refusal: acrUnmet(situation.request.acr.values) };
    case 'enrol':
      return silent
        ? refuse('interaction_required', 'The person has to set a second factor up.', WANTED)
        : { next: 'enrol' };
    case 'step-up':
      return silent
        ? refuse('login_required', 'The person has to show a second factor.', WANTED)
        : { next: 'step-up', by: waysUp(situation) };
    default:
      return undefined;
  }
}

/** What of the account's would do: for what has to be met all of that, for a wish any of it. */
function waysUp(situation: Situation): Method[] {
  const { request, methods, means } = situation;
  const atLeast = { ...situation, wishAnswered: true };
  const isOnlyWish = lackOf(atLeast) === undefined;
  return means.filter((method) => {
    const after = [...methods, method];
    return isOnlyWish
      ? request.acr.values.some((acr) => !meets(acr, methods) && meets(acr, after))
      : lackOf({ ...atLeast, methods: after }) === undefined;
  });
}

const WANTED = { kind: 'not_signed_in' } as const;

/** Whether the code of an app, which the account has not yet, would be enough for what is essential. */
const canEnrolFor = ({ request: { acr }, methods, asksForCode }: Situation): boolean =>
  !asksForCode && acr.values.some((value) => meets(value, [...methods, 'otp']));

/**
 * Where the application minds when the person signed in, all that their account asks for counts, and nothing less: a browser
 * that it trusts is no proof (D44).
 */
const needsFullProof = ({ request, asksForCode, methods }: Situation): boolean =>
  asksForCode && !isStrong(methods) && (request.prompts.includes('login') || request.maxAge !== undefined);

/** Why an API that the request names is not to be had any more, though it was when the request arrived. */
function goneApi({ request, apis }: Situation): OAuthError | undefined {
  for (const { apiId, identifier, scopes } of request.apis) {
    const api = apis.find((one) => one.apiId === apiId);
    const refusal = api === undefined ? unknownResource(identifier) : standingRefusal(api);
    if (api === undefined || refusal !== undefined) return refusal;
    const onOffer = api.scopes.map(({ name }) => name);
    // An API that had no scopes when the request arrived has some now.
    const asksForNone = scopes.length === 0 && !request.picks && !api.scopeless;
    if (asksForNone || !scopes.every((scope) => onOffer.includes(scope)))
      return noScopeOf(identifier, scopes.join(' '));
  }
  return undefined;
}

function needsConsent({ request, client, consentedScopes, apis }: Situation): boolean {
  if (request.prompts.includes('consent')) return true;
  // An agent says of itself who it is, each time anew; what an API calls sensitive is never taken as agreed (D48).
  if (client.agent === true) return true;
  if (request.apis.some(({ apiId, scopes }) => isSensitive(apis, apiId, scopes))) return true;
  // Any program on the person's device can receive such a callback, so the application is never taken as known (D7).
  if (client.type === 'public' && isLocalCallback(request.redirectUri)) return true;
  const wanted = [...dataScopes(request.scopes), ...consentElements(request.apis)];
  return wanted.some((scope) => !consentedScopes.includes(scope));
}

const isSensitive = (apis: readonly NamedApi[], apiId: string, scopes: readonly string[]): boolean =>
  apis.some(
    (api) =>
      api.apiId === apiId && api.scopes.some(({ name, sensitive }) => sensitive && scopes.includes(name)),
  );
