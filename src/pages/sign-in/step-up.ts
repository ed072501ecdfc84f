// /signin/step-up: a signed-in user shows a second factor because the target of the login flow requires it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stepUp } from '../../credentials/second-factor.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isStrong, type Method, meansOf } from '../../oauth/authentication-methods.ts';
import type { Person } from '../../oauth/claims.ts';
import type { Session } from '../../store/sessions.ts';
import { sessionOf } from '../../web/browser.ts';
import { factorRefusal } from '../../web/credential-forms.ts';
import { accountView } from '../../web/html/decision.ts';
import { wayBack } from '../../web/html/entrance.ts';
import {
  buttonLink,
  codeField,
  type FormState,
  formStatus,
  loginForm,
  needsScript,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { passkeyButton, passkeyMissing } from '../../web/html/passkey.ts';
import { attemptingOf, loginByPasskey } from '../../web/login.ts';
import { NEW_PASSKEY, offering, signInOptions } from '../../web/passkeys.ts';
import { pendingAddress, seal, stepOf } from '../../web/pending.ts';
import { isRecent } from '../../web/reauthentication.ts';
import {
  destinationOf,
  loginUrl,
  parseReturnTo,
  type ReturnTo,
  returnUrl,
  switchAccountUrl,
} from '../../web/return-to.ts';
import { factorFaults, factorField, lostCode } from './second-factor.ts';

const PATH = '/signin/step-up';

interface About {
  returnTo: ReturnTo;
  session: Session | undefined;
  by: readonly Method[];
}

export function stepUpPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    about,
    elsewhere,
    read: () => ({}),
    faults: ({ request }) => factorFaults(request),
    async act({ request, reply, about: { returnTo: way, session } }) {
      if (session === undefined) return loginUrl('/signin', way);
      const returnTo = answered(reply, way);
      if (formOf(request).get('passkey') !== undefined)
        return loginByPasskey(request, reply, parts, returnTo, session.userId);
      const { userId, idHash } = session;
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const outcome = await stepUp(parts, { userId, idHash, code }, from, parts.now);
      if (outcome === 'over') return loginUrl('/signin', returnTo);
      // The other half of a double click may have used the code for this session.
      if (outcome !== 'done') return elsewhere(await about(request, reply)) ?? factorRefusal(outcome);
      return () => reply.redirect(returnUrl(returnTo), 303);
    },
    address: ({ returnTo }) => loginUrl(PATH, returnTo),
    page: async ({ request, reply, about: { returnTo, session, by } }) => {
      const passkey = session && (await signInOptions(reply, parts, session.userId, by));
      const code = by.includes('otp') ? (session?.asksForCode ? 'app' : 'recovery') : undefined;
      return {
        returnTo,
        ...offering(passkey),
        accountLocale: session?.locale,
        title: ({ signIn: { secondFactor } }) =>
          (code === 'app' ? secondFactor : secondFactor.byPasskey).title,
        main: (form) =>
          stepUpView({
            ...form,
            application: destinationOf(returnTo),
            account: session,
            switchAccountHref: switchAccountUrl(request, returnTo),
            withoutHref: withoutAddress(reply, returnTo),
            passkey,
            newPasskeyHref: mayMakeAnother(session) ? loginUrl(NEW_PASSKEY, returnTo) : undefined,
            code,
          }),
      };
    },
  });

  async function about(request: FastifyRequest, reply: FastifyReply): Promise<About> {
    const returnTo = await parseReturnTo(request, reply, parts);
    const session = returnTo.page ? returnTo.page.facts.session : await sessionOf(request, parts);
    return { returnTo, session, by: session === undefined ? [] : waysUp(returnTo, session) };
  }

  function elsewhere({ returnTo, session, by }: About): string | undefined {
    if (session === undefined) return loginUrl('/signin', returnTo);
    return by.length > 0 ? undefined : returnUrl(returnTo);
  }

  /** Who signed in by a recovery code without a password may have lost their passkeys. */
  const mayMakeAnother = (session: Session | undefined): boolean =>
    session !== undefined &&
    !session.hasPassword &&
    !isStrong(session.methods) &&
    isRecent(session, parts.now()) &&
    relyingPartyOf(parts.config) !== undefined;

  function waysUp({ page }: ReturnTo, session: Session): readonly Method[] {
    if (page === undefined) return isStrong(session.methods) ? [] : meansOf(session);
    const step = stepOf(parts, page);
    return step.next === 'step-up' ? step.by : [];
  }

  /** URL to continue without it, if the application only prefers it. */
  function withoutAddress(reply: FastifyReply, returnTo: ReturnTo): string | undefined {
    const { page } = answered(reply, returnTo);
    if (page === undefined || stepOf(parts, page).next === 'step-up') return undefined;
    return pendingAddress('/oauth/authorize', page.sealed);
  }

  /** The return target with the application's preference answered. */
  function answered(reply: FastifyReply, { page, next }: ReturnTo): ReturnTo {
    if (page === undefined) return { page, next };
    const pending = { ...page.pending, wishAnswered: true as const };
    return { page: { ...page, pending, sealed: seal(reply, parts, pending) }, next };
  }
}

function stepUpView(
  view: FormState & {
    /** The client that requires it; undefined for a page of this service. */
    application: { name: string; host: string } | undefined;
    account: Person | undefined;
    switchAccountHref: string;
    withoutHref: string | undefined;
    passkey: string | undefined;
    newPasskeyHref: string | undefined;
    /** The accepted code: of the app, a recovery code if there are only passkeys, or none. */
    code: 'app' | 'recovery' | undefined;
  },
): Html {
  const { messages, application, account, switchAccountHref, withoutHref, code, passkey, errors } = view;
  const hasApp = code === 'app';
  const { secondFactor: text } = messages.signIn;
  const asks = hasApp ? text : text.byPasskey;
  const byCode = loginForm(
    view,
    PATH,
    html`${hasApp ? factorField(view) : codeField({ label: messages.fields.recoveryCode, errors })}
${submitButton({ text: text.action, kind: hasApp ? 'primary' : 'secondary' })}`,
  );
  const button = passkeyButton(messages, passkey, messages.passkeys.use, hasApp ? 'secondary' : 'primary');
  return html`${formStatus(view)}
<h1>${asks.title}</h1>
<p class="lead">${application === undefined ? asks.pageAsks : asks.applicationAsks(application.name)}</p>
${account && accountView({ messages, account, switchAccountHref })}
${hasApp && byCode}
${button && loginForm(view, PATH, button)}
${code !== undefined && passkeyMissing(messages, passkey)}
${hasApp && lostCode(view)}
${
  code === 'recovery' &&
  html`<details class="apart"${errors.length > 0 && html` open`}>
<summary>${text.byPasskey.lost}</summary>
${byCode}
</details>`
}
${view.newPasskeyHref !== undefined && html`<p class="aside">${text.byPasskey.lost} <a href="${view.newPasskeyHref}">${text.byPasskey.make}</a></p>`}
${code === undefined && needsScript(messages.passkeys.useNeedsScript)}
${withoutHref !== undefined && html`<p class="actions">${buttonLink({ text: hasApp ? text.without : text.byPasskey.without, href: withoutHref, kind: 'secondary' })}</p>`}
${wayBack(view, application)}`;
}
