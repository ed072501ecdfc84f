// /signin/step-up: asks a signed-in user for the second factor that a client or page requires.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stepUpWithCode } from '../../credentials/mfa-codes.ts';
import { getRelyingParty } from '../../credentials/webauthn.ts';
import { readForm } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import {
  type AuthenticationMethod,
  isMultiFactor,
  listAvailableMethods,
} from '../../oauth/authentication-methods.ts';
import type { ClaimsSubject } from '../../oauth/claims.ts';
import type { Session } from '../../store/sessions.ts';
import { loadSession } from '../../web/browser.ts';
import { secondFactorRejection } from '../../web/credential-forms.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { accountParty } from '../../web/html/consent-decision.ts';
import { codeField } from '../../web/html/fields.ts';
import { type FormState, formStatus, loginForm } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { cancelOrAccountLink } from '../../web/html/login-elements.ts';
import { scriptRequiredNotice } from '../../web/html/notices.ts';
import { passkeyButton, passkeyScriptNotice } from '../../web/html/passkey.ts';
import { attemptContext, loginWithPasskey } from '../../web/login.ts';
import { NEW_PASSKEY_PATH, passkeyPageOptions, passkeySignInOptions } from '../../web/passkeys.ts';
import { nextStepOf, pendingUrl, sealForBrowser } from '../../web/pending-requests.ts';
import { isRecentlyAuthenticated } from '../../web/reauthentication.ts';
import {
  destinationClient,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  returnUrl,
  switchAccountUrl,
} from '../../web/return-to.ts';
import { lostSecondFactorHelp, secondFactorField, validateSecondFactor } from './second-factor.ts';

const PATH = '/signin/step-up';

/** `recovery` if the user has passkeys but no authenticator app. */
type CodeKind = 'app' | 'recovery';

interface StepUpSubject {
  returnTo: ReturnTo;
  session: Session | undefined;
  methods: readonly AuthenticationMethod[];
}

export function stepUpPage(app: FastifyInstance, services: Services): void {
  app.formPage({
    path: PATH,
    loadSubject,
    respondInstead: redirectTarget,
    parse: () => ({}),
    validate: ({ request }) => validateSecondFactor(request),
    async act({ request, reply, subject: { returnTo: target, session } }) {
      if (session === undefined) return loginUrl('/signin', target);
      const returnTo = withoutVoluntaryStepUp(reply, target);
      if (readForm(request).get('passkey') !== undefined)
        return loginWithPasskey(request, reply, services, returnTo, session.userId);
      const { userId, idHash } = session;
      const code = readForm(request).get('code') ?? '';
      const context = attemptContext(request, services);
      const outcome = await stepUpWithCode(services, { userId, idHash, code }, context, services.now);
      if (outcome === 'expired') return loginUrl('/signin', returnTo);
      // The first request of a double click may already have used the code for this session.
      if (outcome !== 'done')
        return redirectTarget(await loadSubject(request, reply)) ?? secondFactorRejection(outcome);
      return () => reply.redirect(returnUrl(returnTo), 303);
    },
    pageUrl: ({ returnTo }) => loginUrl(PATH, returnTo),
    render: async ({ request, reply, subject: { returnTo, session, methods } }) => {
      const passkey = session && (await passkeySignInOptions(reply, services, session.userId, methods));
      const code = methods.includes('otp') ? (session?.requiresTotp ? 'app' : 'recovery') : undefined;
      return {
        returnTo,
        ...passkeyPageOptions(passkey),
        accountLocale: session?.locale,
        title: ({ signIn: { secondFactor } }) => stepUpTexts(secondFactor, code, passkey).title,
        main: (form) =>
          stepUpView({
            ...form,
            application: destinationClient(returnTo),
            account: session,
            switchAccountHref: switchAccountUrl(request, returnTo),
            skipHref: skipUrl(reply, returnTo),
            passkey,
            newPasskeyHref: canCreatePasskey(session) ? loginUrl(NEW_PASSKEY_PATH, returnTo) : undefined,
            code,
          }),
      };
    },
  });

  async function loadSubject(request: FastifyRequest, reply: FastifyReply): Promise<StepUpSubject> {
    const returnTo = await parseReturnTo(request, reply, services);
    const session = returnTo.page ? returnTo.page.context.session : await loadSession(request, services);
    return { returnTo, session, methods: session === undefined ? [] : availableMethods(returnTo, session) };
  }

  function redirectTarget({ returnTo, session, methods }: StepUpSubject): string | undefined {
    if (session === undefined) return loginUrl('/signin', returnTo);
    return methods.length > 0 ? undefined : returnUrl(returnTo);
  }

  /** A user without a password who used a recovery code may have lost all passkeys. */
  const canCreatePasskey = (session: Session | undefined): boolean =>
    session !== undefined &&
    !session.hasPassword &&
    !isMultiFactor(session.methods) &&
    isRecentlyAuthenticated(session, services.now()) &&
    getRelyingParty(services.config) !== undefined;

  function availableMethods({ page }: ReturnTo, session: Session): readonly AuthenticationMethod[] {
    if (page === undefined) return isMultiFactor(session.methods) ? [] : listAvailableMethods(session);
    const step = nextStepOf(services, page);
    return step.next === 'step-up' ? step.by : [];
  }

  /** Undefined if the client requires the second factor. */
  function skipUrl(reply: FastifyReply, returnTo: ReturnTo): string | undefined {
    const { page } = withoutVoluntaryStepUp(reply, returnTo);
    if (page === undefined || nextStepOf(services, page).next === 'step-up') return undefined;
    return pendingUrl('/oauth/authorize', page.sealed);
  }

  /** If the client prefers a second factor, the login flow asks for it only once. */
  function withoutVoluntaryStepUp(reply: FastifyReply, { page, next }: ReturnTo): ReturnTo {
    if (page === undefined) return { page, next };
    const pending = { ...page.pending, skipsVoluntaryAcr: true as const };
    return { page: { ...page, pending, sealed: sealForBrowser(reply, services, pending) }, next };
  }
}

const stepUpTexts = (
  text: Messages['signIn']['secondFactor'],
  code: CodeKind | undefined,
  passkey: string | undefined,
) => (code !== 'app' ? text.byPasskey : passkey === undefined ? text : text.either);

function stepUpView(
  view: FormState & {
    /** Undefined if a page of this service requires the second factor. */
    application: { name: string; host: string } | undefined;
    account: ClaimsSubject | undefined;
    switchAccountHref: string;
    skipHref: string | undefined;
    passkey: string | undefined;
    newPasskeyHref: string | undefined;
    code: CodeKind | undefined;
  },
): Html {
  const { messages, application, account, switchAccountHref, skipHref, code, passkey, errors } = view;
  const hasApp = code === 'app';
  const { secondFactor: text } = messages.signIn;
  const asks = stepUpTexts(text, code, passkey);
  const byCode = loginForm(
    view,
    PATH,
    html`${hasApp ? secondFactorField(view) : codeField('recovery', { label: messages.fields.recoveryCode, errors })}
${submitButton({ text: text.action, kind: passkey === undefined ? 'primary' : 'secondary' })}`,
  );
  const button = passkeyButton(messages, passkey, messages.passkeys.use, 'primary');
  return html`${formStatus(view)}
<h1>${asks.title}</h1>
<p class="lead">${application === undefined ? asks.pageAsks : asks.applicationAsks(application.name)}</p>
${account && accountParty({ messages, account, switchAccountHref })}
${button && loginForm(view, PATH, button)}
${hasApp && byCode}
${code !== undefined && passkeyScriptNotice(messages, passkey)}
${hasApp && lostSecondFactorHelp(view)}
${
  code === 'recovery' &&
  html`<details class="disclosure"${errors.length > 0 && html` open`}>
<summary>${text.byPasskey.lost}</summary>
${byCode}
</details>`
}
${view.newPasskeyHref !== undefined && html`<p class="aside">${text.byPasskey.lost} <a href="${view.newPasskeyHref}">${text.byPasskey.make}</a></p>`}
${code === undefined && scriptRequiredNotice(messages.passkeys.useNeedsScript)}
${skipHref !== undefined && html`<p class="aside"><a href="${skipHref}">${asks.without}</a></p>`}
${cancelOrAccountLink(view, application)}`;
}
