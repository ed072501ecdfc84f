// /signin/second-factor: asks for a TOTP code, recovery code or passkey after the first factor.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { completeMfaSignIn } from '../../credentials/mfa-codes.ts';
import { rememberOwnDevice } from '../../credentials/mfa-setup.ts';
import { getRelyingParty } from '../../credentials/webauthn.ts';
import { PageError } from '../../http/page-error.ts';
import { readForm } from '../../http/parameters.ts';
import { readHeader } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { newAccountSecret } from '../../oauth/secrets.ts';
import { findActiveContact } from '../../store/credentials.ts';
import { findProviderForSignIn } from '../../store/identity-providers.ts';
import { requireCode, secondFactorRejection } from '../../web/credential-forms.ts';
import { singleUseFormToken } from '../../web/csrf.ts';
import { providerDisabledError } from '../../web/external-identity.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { breakable } from '../../web/html/breakable.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { choiceField, codeField, hiddenInput } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { cancelForm } from '../../web/html/login-elements.ts';
import {
  PASSKEY_SCRIPTS,
  passkeyButton,
  passkeyCapabilityInput,
  passkeyScriptNotice,
} from '../../web/html/passkey.ts';
import { addRememberedDevice, notifyNewSignIn } from '../../web/known-browsers.ts';
import {
  attemptContext,
  codeSignInContext,
  finishLogin,
  finishPasswordLogin,
  loginWithPasskey,
  openPartialSignIn,
} from '../../web/login.ts';
import { passkeyPageOptions, passkeySignInOptions } from '../../web/passkeys.ts';
import { destinationClient, loginUrl, parseReturnTo, type ReturnTo } from '../../web/return-to.ts';

const PATH = '/signin/second-factor';

export function secondFactorPage(app: FastifyInstance, services: Services): void {
  app.formPage({
    path: PATH,
    async loadSubject(request, reply) {
      const returnTo = await parseReturnTo(request, reply, services);
      const partialSignIn = openPartialSignIn(request, services);
      if (partialSignIn === undefined) throw signInExpiredError(returnTo);
      const { firstFactor } = partialSignIn;
      if ('identity' in firstFactor) await requireProvider(firstFactor.identity.providerId, returnTo);
      return { partialSignIn, returnTo };
    },
    parse: (form) => ({ trust: form.get('trust') === 'yes' }),
    validate: ({ request }) => validateSecondFactor(request),
    async act({ request, reply, subject: { partialSignIn, returnTo }, fields }) {
      const { userId, firstFactor } = partialSignIn;
      if (readForm(request).get('passkey') !== undefined)
        return loginWithPasskey(request, reply, services, returnTo, userId);
      const code = readForm(request).get('code') ?? '';
      const context = attemptContext(request, services);
      const signInContext = codeSignInContext(request, services, userId, code);
      const session = await completeMfaSignIn(
        services,
        { userId, firstFactor, code },
        context,
        signInContext,
        services.now,
      );
      if (session === 'expired') throw signInExpiredError(returnTo);
      if (session === 'tooMany' || session === 'wrong') return secondFactorRejection(session);
      if (fields.trust) {
        const { browserEpoch } = session;
        const token = newAccountSecret(
          userId,
          singleUseFormToken(request, services, 'trust', session.sid).seed,
        );
        const userAgent = readHeader(request, 'user-agent');
        await rememberOwnDevice(services, { token, userId, browserEpoch, userAgent }, services.now());
        addRememberedDevice(reply, token);
      }
      await notifyNewSignIn(reply, services, session);
      return mayOfferPasskey(partialSignIn)
        ? () => finishPasswordLogin(request, reply, session, returnTo)
        : () => finishLogin(reply, session, returnTo);
    },
    pageUrl: ({ partialSignIn, returnTo }) =>
      loginUrl(PATH, returnTo, { partial_sign_in: partialSignIn.text }),
    render: async ({ reply, subject: { partialSignIn, returnTo }, fields }) => {
      const account = await findActiveContact(services.database, partialSignIn.userId);
      if (account === undefined) throw signInExpiredError(returnTo);
      const passkey = await passkeySignInOptions(reply, services, partialSignIn.userId);
      const canOfferPasskey =
        passkey === undefined &&
        mayOfferPasskey(partialSignIn) &&
        getRelyingParty(services.config) !== undefined;
      return {
        returnTo,
        ...(canOfferPasskey ? { scripts: PASSKEY_SCRIPTS } : passkeyPageOptions(passkey)),
        title: ({ signIn: { secondFactor } }) =>
          (passkey === undefined ? secondFactor : secondFactor.either).title,
        main: (form) =>
          secondFactorView({
            ...form,
            ...fields,
            passkey,
            canOfferPasskey,
            partialSignIn: partialSignIn.text,
            email: account.email,
            returnTo,
          }),
      };
    },
  });

  async function requireProvider(providerId: string, returnTo: ReturnTo): Promise<void> {
    const provider = await findProviderForSignIn(services.database, providerId);
    if (provider === undefined) throw signInExpiredError(returnTo);
    if (provider.disabledAt !== null) throw providerDisabledError(provider, loginUrl('/signin', returnTo));
  }
}

/** Creating a passkey may require the password, so it isn't offered after a provider sign-in. */
const mayOfferPasskey = ({ firstFactor }: { firstFactor: object }): boolean => !('identity' in firstFactor);

export const validateSecondFactor = (request: FastifyRequest): ValidationError[] =>
  readForm(request).get('passkey') !== undefined
    ? []
    : requireCode(request, ({ formErrors }) => formErrors.codeMissing);

/** The sign-in was started in another browser, too long ago, or before a password change. */
const signInExpiredError = (returnTo: ReturnTo): PageError =>
  new PageError(
    'secondFactorOver',
    invalidRequest('The sign-in has expired. The user must sign in again.', { kind: 'page_form_invalid' }),
    { restartUrl: loginUrl('/signin', returnTo) },
  );

function secondFactorView(
  view: FormState & {
    partialSignIn: string;
    /** Shown without the account's name, which is not revealed before the second factor. */
    email: string;
    returnTo: ReturnTo;
    trust: boolean;
    passkey: string | undefined;
    canOfferPasskey: boolean;
  },
): Html {
  const { messages, passkey, returnTo } = view;
  const text = messages.signIn.secondFactor;
  const asks = passkey === undefined ? text : text.either;
  const partialSignInInput = hiddenInput('partial_sign_in', view.partialSignIn);
  return html`${formStatus(view)}
<h1>${asks.title}</h1>
<p class="lead">${asks.text}</p>
<p class="destination"><strong class="host">${breakable(view.email)}</strong> <a href="${loginUrl('/signin', returnTo)}">${messages.accounts.another}</a></p>
${passkey !== undefined && loginForm(view, PATH, html`${partialSignInInput}${passkeyButton(messages, passkey, messages.passkeys.use, 'primary')}`)}
${loginForm(
  view,
  PATH,
  html`${partialSignInInput}${view.canOfferPasskey && passkeyCapabilityInput}${secondFactorField(view)}
${choiceField({
  name: 'trust',
  kind: 'checkbox',
  legend: text.browser,
  choices: [{ value: 'yes', label: text.trust, hint: text.trustHint, checked: view.trust }],
})}
${submitButton({ text: messages.signIn.action, kind: passkey === undefined ? 'primary' : 'secondary' })}`,
)}
${passkeyScriptNotice(messages, passkey)}
${lostSecondFactorHelp(view)}
${cancelForm(view, destinationClient(returnTo))}`;
}

/** The field is focused unless the page offers a passkey first. */
export const secondFactorField = ({
  messages: { signIn, fields },
  errors,
  passkey,
}: Pick<FormState, 'messages' | 'errors' | 'passkey'>): Html =>
  codeField('recovery', {
    label: passkey === undefined ? signIn.secondFactor.code : fields.confirmationCode,
    hint: fields.confirmationCodeHint,
    autofocus: errors.length === 0 && passkey === undefined,
    errors,
  });

export const lostSecondFactorHelp = ({
  messages: { signIn },
}: FormState): Html => html`<details class="disclosure">
<summary>${signIn.secondFactor.lost}</summary>
<p>${signIn.secondFactor.lostText}</p>
</details>`;
