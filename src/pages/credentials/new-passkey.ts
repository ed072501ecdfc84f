// /account/security/passkeys/new, and the offer after sign-in: creates a passkey.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_PASSKEYS, registerPasskey } from '../../credentials/passkeys.ts';
import { getRelyingParty, logPasskeyRejection, type RelyingParty } from '../../credentials/webauthn.ts';
import { readForm } from '../../http/parameters.ts';
import { isHeadRequest, isSafeMethod } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import { messagesFor } from '../../i18n/index.ts';
import { PASSKEY_OFFER_INTERVAL } from '../../oauth/lifetimes.ts';
import {
  claimPasskeyOffer,
  disablePasskeyOffers,
  isPasskeyOffered,
  listPasskeys,
} from '../../store/passkeys.ts';
import { localeOf, requestContext } from '../../web/browser.ts';
import { createBrowserFormToken } from '../../web/csrf.ts';
import type { Rejection } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { cancelOrAccountLink } from '../../web/html/login-elements.ts';
import { scriptRequiredNotice } from '../../web/html/notices.ts';
import { createPasskeyButton } from '../../web/html/passkey.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import {
  NEW_PASSKEY_PATH,
  OFFER_PASSKEY_PATH,
  passkeyCreationOptions,
  passkeyPageOptions,
} from '../../web/passkeys.ts';
import {
  destinationClient,
  hasReturnTarget,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  returnUrl,
} from '../../web/return-to.ts';
import { mustVerifyEmail, signedInUser } from '../../web/session-guard.ts';
import { SECURITY_URL } from './security-form-view.ts';

/** How long the offer page can be reloaded, in seconds. */
const OFFER_PAGE_TTL = 10 * 60;

export function newPasskeyPages(area: FastifyInstance, services: Services): void {
  const { database, config } = services;
  const rp = getRelyingParty(config);
  if (rp === undefined) return;

  area.formPage({
    path: NEW_PASSKEY_PATH,
    loadSubject: async (request, reply) => ({
      ...signedInUser(request),
      returnTo: await parseReturnTo(request, reply, services),
    }),
    respondInstead: async ({ userId, returnTo }) =>
      (await listPasskeys(database, userId)).length < MAX_PASSKEYS
        ? undefined
        : returnUrl(returnTo, SECURITY_URL),
    parse: () => ({}),
    validate: ({ request }) =>
      readForm(request).get('passkey') === undefined
        ? [{ text: ({ passkeys }) => passkeys.needsScript }]
        : [],
    requiresVerifiedEmail: true,
    requiresReauthentication: true,
    act({ request, subject: { returnTo } }) {
      return createPasskey(request, services, rp, returnUrl(returnTo, `${SECURITY_URL}?done=passkey-added`));
    },
    pageUrl: ({ returnTo }) => loginUrl(NEW_PASSKEY_PATH, returnTo),
    render: async ({ reply, subject: { returnTo, ...member } }) => {
      const options = await passkeyCreationOptions(member, services);
      return {
        returnTo,
        ...passkeyPageOptions(options),
        title: (messages) => messages.account.security.passkeys.add,
        main: (form) =>
          newPasskeyView({
            ...form,
            options: options ?? '',
            returnTo,
            cancelCsrf: createBrowserFormToken(reply, services),
          }),
      };
    },
  });

  // Offered after a password sign-in, at most once every two weeks.
  area.formPage({
    path: OFFER_PASSKEY_PATH,
    loadSubject: async (request, reply) => ({
      ...signedInUser(request),
      returnTo: await parseReturnTo(request, reply, services),
    }),
    async respondInstead({ userId, emailVerified, returnTo }, request) {
      if (mustVerifyEmail(config, { emailVerified })) return returnUrl(returnTo);
      if (!isSafeMethod(request)) return undefined;
      const now = services.now();
      const secondsFromNow = (seconds: number) => new Date(now.getTime() + seconds * 1000);
      const nextOfferAt = secondsFromNow(PASSKEY_OFFER_INTERVAL);
      const isOffered =
        (await isPasskeyOffered(
          database,
          userId,
          secondsFromNow(PASSKEY_OFFER_INTERVAL - OFFER_PAGE_TTL),
          nextOfferAt,
        )) ||
        (!isHeadRequest(request) && (await claimPasskeyOffer(database, userId, now, nextOfferAt)));
      return isOffered ? undefined : returnUrl(returnTo);
    },
    showsErrorsFirst: true,
    parse: () => ({}),
    requiresReauthentication: ({ request }) => readForm(request).get('passkey') !== undefined,
    async act({ request, subject: { userId, returnTo } }) {
      const to = returnUrl(returnTo);
      const credential = readForm(request).get('passkey');
      if (readForm(request).get('choice') === 'never') await disablePasskeyOffers(database, userId);
      if (credential === undefined) return to;
      return createPasskey(request, services, rp, to);
    },
    pageUrl: ({ returnTo }) => loginUrl(OFFER_PASSKEY_PATH, returnTo),
    async render({ subject: { returnTo, ...member } }) {
      const options = await passkeyCreationOptions(member, services);
      return {
        returnTo,
        ...passkeyPageOptions(options),
        title: (messages) => messages.passkeys.offer.title,
        main: (form) => passkeyOfferView(form, options ?? ''),
      };
    },
  });
}

async function createPasskey(
  request: FastifyRequest,
  services: Services,
  rp: RelyingParty,
  to: string,
): Promise<string | Rejection> {
  const { userId, sid, idHash, holder, locale, startedAt: since } = signedInUser(request);
  const actor = { userId, sid, idHash, since, ...requestContext(request) };
  const credential = readForm(request).get('passkey');
  const defaultName = messagesFor(localeOf(request, undefined, locale)).passkeys.unnamed;
  const registered = await registerPasskey(
    services,
    actor,
    { rp, response: credential, holder, fallbackName: defaultName },
    services.now(),
  );
  if (registered === 'added') return to;
  logPasskeyRejection(request.log, registered);
  return { errors: [{ text: ({ passkeys }) => passkeys.notMade }] };
}

function newPasskeyView(view: FormState & { options: string; returnTo: ReturnTo; cancelCsrf: string }): Html {
  const { messages, options, returnTo, cancelCsrf } = view;
  const text = messages.account.security.passkeys;
  const body = html`${formStatus(view)}
<h1>${messages.account.security.passkeys.add}</h1>
<p class="lead">${text.newText}</p>
${createPasskeyForm(view, NEW_PASSKEY_PATH, options, view.messages.account.security.passkeys.add)}
<p class="aside">${text.newAdvice}</p>`;
  if (!hasReturnTarget(returnTo)) return accountLayout(messages, 'security', body, { within: true });
  // Without a password, an authenticator app is used only after a sign-in through an identity provider.
  const canSetUpApp = view.hasPassword && !view.requiresTotp;
  return html`${body}
${canSetUpApp && html`<p class="aside"><a href="${loginUrl(`${SECURITY_URL}/app`, returnTo)}">${text.appInstead}</a></p>`}
${cancelOrAccountLink({ ...view, csrf: cancelCsrf }, destinationClient(returnTo))}`;
}

function passkeyOfferView(view: FormState, options: string): Html {
  const { offer: text } = view.messages.passkeys;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${createPasskeyForm(view, OFFER_PASSKEY_PATH, options, view.messages.account.security.passkeys.add)}
${loginForm(
  view,
  OFFER_PASSKEY_PATH,
  html`<p class="actions">${submitButton({ text: text.later, kind: 'secondary', name: 'choice', value: 'later' })}
${submitButton({ text: text.never, kind: 'secondary', name: 'choice', value: 'never' })}</p>`,
)}`;
}

function createPasskeyForm(
  view: FormState,
  action: string,
  options: string,
  buttonText: string,
): Html | undefined {
  const reauthentication = reauthenticationFields(view);
  if (view.providers.length > 0) return reauthentication;
  return html`${loginForm(
    view,
    action,
    html`${reauthentication}
${createPasskeyButton(view.messages, options, buttonText)}`,
  )}
${scriptRequiredNotice(view.messages.passkeys.needsScript)}`;
}
