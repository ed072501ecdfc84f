// /signin/second-factor: after the right password, the code of the authenticator app, or a recovery code.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { finishSignIn } from '../../credentials/second-factor.ts';
import { trust } from '../../credentials/second-factor-setup.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { PageFault } from '../../http/failures.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { headerOf } from '../../http/request.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { newAccountSecret } from '../../oauth/secrets.ts';
import { codeFaults, factorRefusal } from '../../web/credential-forms.ts';
import { oneUse } from '../../web/csrf.ts';
import type { Fault } from '../../web/faults.ts';
import { cancelForm } from '../../web/html/entrance.ts';
import {
  choiceField,
  codeField,
  type FormState,
  formStatus,
  hiddenInput,
  loginForm,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import {
  ableToHoldPasskeys,
  PASSKEY_SCRIPTS,
  passkeyButton,
  passkeyMissing,
} from '../../web/html/passkey.ts';
import { keepTrust, noticeSignIn } from '../../web/known-browsers.ts';
import {
  attemptingOf,
  finishPasswordLogin,
  halfSignedIn,
  loginByPasskey,
  originOfCode,
} from '../../web/login.ts';
import { offering, signInOptions } from '../../web/passkeys.ts';
import { destinationOf, loginUrl, parseReturnTo, type ReturnTo } from '../../web/return-to.ts';

const PATH = '/signin/second-factor';

export function secondFactorPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    async about(request, reply) {
      const returnTo = await parseReturnTo(request, reply, parts);
      const half = halfSignedIn(request, parts);
      if (half === undefined) throw over(returnTo);
      return { half, returnTo };
    },
    read: (form) => ({ trust: form.get('trust') === 'yes' }),
    faults: ({ request }) => factorFaults(request),
    async act({ request, reply, about: { half, returnTo }, fields }) {
      const { userId, mark } = half;
      if (formOf(request).get('passkey') !== undefined)
        return loginByPasskey(request, reply, parts, returnTo, userId);
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const origin = originOfCode(request, parts, userId, code);
      const session = await finishSignIn(parts, { userId, mark, code }, from, origin, parts.now);
      if (session === 'over') throw over(returnTo);
      if (session === 'tooMany' || session === 'wrong') return factorRefusal(session);
      if (fields.trust) {
        const { browserEpoch } = session;
        const token = newAccountSecret(userId, oneUse(request, parts, 'trust', session.sid).seed);
        const userAgent = headerOf(request, 'user-agent');
        await trust(parts, { token, userId, browserEpoch, userAgent }, parts.now());
        keepTrust(reply, token);
      }
      await noticeSignIn(reply, parts, session);
      return () => finishPasswordLogin(request, reply, session, returnTo);
    },
    address: ({ half, returnTo }) => loginUrl(PATH, returnTo, { half: half.text }),
    page: async ({ reply, about: { half, returnTo }, fields }) => {
      const passkey = await signInOptions(reply, parts, half.userId);
      const mayBeOffered = passkey === undefined && relyingPartyOf(parts.config) !== undefined;
      return {
        returnTo,
        ...(mayBeOffered ? { scripts: PASSKEY_SCRIPTS } : offering(passkey)),
        title: (messages) => messages.signIn.secondFactor.title,
        main: (form) =>
          secondFactorView({
            ...form,
            ...fields,
            passkey,
            mayBeOffered,
            half: half.text,
            returnTo,
          }),
      };
    },
  });
}

/** Whether a form brings a code or a passkey. */
export const factorFaults = (request: FastifyRequest): Fault[] =>
  formOf(request).get('passkey') !== undefined
    ? []
    : codeFaults(request, ({ problems }) => problems.codeMissing);

/** 400: it started in another browser, too long ago, or before the password changed. */
const over = (returnTo: ReturnTo): PageFault =>
  new PageFault(
    'secondFactorOver',
    invalidRequest('The sign-in has to start again.', { kind: 'page_form' }),
    { startAgain: loginUrl('/signin', returnTo) },
  );

function secondFactorView(
  view: FormState & {
    half: string;
    returnTo: ReturnTo;
    trust: boolean;
    passkey: string | undefined;
    /** Whether a passkey may be offered afterwards. */
    mayBeOffered: boolean;
  },
): Html {
  const { messages, passkey, returnTo } = view;
  const text = messages.signIn.secondFactor;
  const half = hiddenInput('half', view.half);
  return html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.text}</p>
${loginForm(
  view,
  PATH,
  html`${half}${view.mayBeOffered && ableToHoldPasskeys}${factorField(view)}
${choiceField({
  name: 'trust',
  kind: 'checkbox',
  legend: text.browser,
  choices: [{ value: 'yes', label: text.trust, hint: text.trustHint, checked: view.trust }],
})}
${submitButton({ text: messages.signIn.action })}`,
)}
${passkey !== undefined && loginForm(view, PATH, html`${half}${passkeyButton(messages, passkey, messages.passkeys.use)}`)}
${passkeyMissing(messages, passkey)}
${lostCode(view)}
<p class="aside"><a href="${loginUrl('/signin', returnTo)}">${text.again}</a></p>
${cancelForm(view, destinationOf(returnTo))}`;
}

/** The field of a code of the authenticator app, or of a recovery code. */
export const factorField = ({ messages: { signIn, fields }, errors }: FormState): Html =>
  codeField({
    label: signIn.secondFactor.code,
    hint: fields.confirmationCodeHint,
    autofocus: errors.length === 0,
    errors,
  });

export const lostCode = ({ messages: { signIn } }: FormState): Html => html`<details class="apart">
<summary>${signIn.secondFactor.lost}</summary>
<p>${signIn.secondFactor.lostText}</p>
</details>`;
