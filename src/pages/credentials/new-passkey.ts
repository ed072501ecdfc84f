// Pages that create a passkey: /account/security/passkeys/new, and the offer after a sign-in.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { enrolPasskey, MOST_PASSKEYS } from '../../credentials/passkeys.ts';
import { logPasskeyRefusal, type RelyingParty, relyingPartyOf } from '../../credentials/webauthn.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe, isTraceless } from '../../http/request.ts';
import { messagesFor } from '../../i18n/index.ts';
import { PASSKEY_OFFER } from '../../oauth/lifetimes.ts';
import { isPasskeyOffered, listPasskeys, neverOfferPasskey, offerPasskey } from '../../store/passkeys.ts';
import { fromOf, localeOf } from '../../web/browser.ts';
import { openFormToken } from '../../web/csrf.ts';
import type { Refusal } from '../../web/faults.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { wayBack } from '../../web/html/entrance.ts';
import {
  confirmationField,
  type FormState,
  formStatus,
  loginForm,
  needsScript,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { passkeyMaker } from '../../web/html/passkey.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { enrolOptions, NEW_PASSKEY, OFFER_PASSKEY, offering } from '../../web/passkeys.ts';
import {
  destinationOf,
  isInLogin,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  returnUrl,
} from '../../web/return-to.ts';
import { SECURITY } from './security-form-view.ts';

/** Seconds for which the page that offers a passkey may be opened again. */
const OPEN = 10 * 60;

export function newPasskeyPages(area: FastifyInstance, parts: Parts): void {
  const { database, config } = parts;
  const rp = relyingPartyOf(config);
  if (rp === undefined) return;

  area.formPage({
    url: NEW_PASSKEY,
    about: async (request, reply) => ({
      ...memberOf(request),
      returnTo: await parseReturnTo(request, reply, parts),
    }),
    elsewhere: async ({ userId, returnTo }) =>
      (await listPasskeys(database, userId)).length < MOST_PASSKEYS
        ? undefined
        : returnUrl(returnTo, SECURITY),
    read: () => ({}),
    faults: ({ request }) =>
      formOf(request).get('passkey') === undefined ? [{ text: ({ passkeys }) => passkeys.needsScript }] : [],
    verifiedEmail: true,
    proof: true,
    act({ request, about: { returnTo } }) {
      return create(request, parts, rp, returnUrl(returnTo, `${SECURITY}?done=passkey-added`));
    },
    address: ({ returnTo }) => loginUrl(NEW_PASSKEY, returnTo),
    page: async ({ reply, about: { returnTo, ...member } }) => {
      const options = await enrolOptions(member, parts);
      return {
        returnTo,
        ...offering(options),
        title: (messages) => messages.account.security.passkeys.add,
        main: (form) => newPasskeyView(form, options ?? '', returnTo, openFormToken(reply, parts)),
      };
    },
  });

  // Offers a passkey after a password sign-in on a device that can hold one, once in two weeks.
  area.formPage({
    url: OFFER_PASSKEY,
    about: async (request, reply) => ({
      ...memberOf(request),
      returnTo: await parseReturnTo(request, reply, parts),
    }),
    async elsewhere({ userId, emailVerified, returnTo }, request) {
      if (mustVerifyEmail(config, { emailVerified })) return returnUrl(returnTo);
      if (!isSafe(request)) return undefined;
      const now = parts.now();
      const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
      const again = later(PASSKEY_OFFER);
      const isOffered =
        (await isPasskeyOffered(database, userId, later(PASSKEY_OFFER - OPEN), again)) ||
        (!isTraceless(request) && (await offerPasskey(database, userId, now, again)));
      return isOffered ? undefined : returnUrl(returnTo);
    },
    keepsRefused: true,
    read: () => ({}),
    proof: ({ request }) => formOf(request).get('passkey') !== undefined,
    async act({ request, about: { userId, returnTo } }) {
      const to = returnUrl(returnTo);
      const answer = formOf(request).get('passkey');
      if (formOf(request).get('choice') === 'never') await neverOfferPasskey(database, userId);
      if (answer === undefined) return to;
      return create(request, parts, rp, to);
    },
    address: ({ returnTo }) => loginUrl(OFFER_PASSKEY, returnTo),
    async page({ about: { returnTo, ...member } }) {
      const options = await enrolOptions(member, parts);
      return {
        returnTo,
        ...offering(options),
        title: (messages) => messages.passkeys.offer.title,
        main: (form) => passkeyOfferView(form, options ?? ''),
      };
    },
  });
}

/** Adds the passkey that the form brings. @param to where that leads */
async function create(
  request: FastifyRequest,
  parts: Parts,
  rp: RelyingParty,
  to: string,
): Promise<string | Refusal> {
  const { userId, sid, idHash, holder, locale, startedAt: since } = memberOf(request);
  const actor = { userId, sid, idHash, since, ...fromOf(request) };
  const answer = formOf(request).get('passkey');
  const otherwise = messagesFor(localeOf(request, undefined, locale)).passkeys.unnamed;
  const made = await enrolPasskey(parts, actor, { rp, answer, holder, otherwise }, parts.now());
  if (made === 'added') return to;
  logPasskeyRefusal(request.log, made);
  return { faults: [{ text: ({ passkeys }) => passkeys.notMade }] };
}

function newPasskeyView(view: FormState, options: string, returnTo: ReturnTo, cancelCsrf: string): Html {
  const { messages } = view;
  const text = messages.account.security.passkeys;
  const body = html`${formStatus(view)}
<h1>${messages.account.security.passkeys.add}</h1>
<p class="lead">${text.newText}</p>
${makerForm(view, NEW_PASSKEY, options, view.messages.account.security.passkeys.add)}
<p class="aside">${text.newAdvice}</p>`;
  if (!isInLogin(returnTo)) return accountFrame(messages, 'security', body, { within: true });
  return html`${body}
${wayBack({ ...view, csrf: cancelCsrf }, destinationOf(returnTo))}`;
}

function passkeyOfferView(view: FormState, options: string): Html {
  const { offer: text } = view.messages.passkeys;
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${makerForm(view, OFFER_PASSKEY, options, view.messages.account.security.passkeys.add)}
${loginForm(
  view,
  OFFER_PASSKEY,
  html`<p class="actions">${submitButton({ text: text.later, kind: 'secondary', name: 'choice', value: 'later' })}
${submitButton({ text: text.never, kind: 'secondary', name: 'choice', value: 'never' })}</p>`,
)}`;
}

const makerForm = (view: FormState, action: string, options: string, make: string): Html =>
  html`${loginForm(
    view,
    action,
    html`${confirmationField(view)}
${passkeyMaker(view.messages, options, make)}`,
  )}
${needsScript(view.messages.passkeys.needsScript)}`;
