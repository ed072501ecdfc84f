// /signin/step-up: somebody who is signed in shows a second factor, too, because where they are going asks for it (D41, D42).
import type { FastifyInstance, FastifyReply } from 'fastify';
import { stepUp } from '../../credentials/second-factor.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isStrong, type Method, meansOf } from '../../oauth/authentication-methods.ts';
import type { Session } from '../../store/sessions.ts';
import { sessionOf } from '../../web/browser.ts';
import {
  attemptingOf,
  destinationOf,
  loginByPasskey,
  NEW_PASSKEY,
  switchAccountUrl,
} from '../../web/login.ts';
import { isRecent } from '../../web/member.ts';
import { offering, signInOptions } from '../../web/passkeys.ts';
import { pendingAddress, seal, stepOf } from '../../web/pending.ts';
import { loginUrl, parseReturnTo, type ReturnTo, returnFields, returnUrl } from '../../web/return-to.ts';
import { stepUpView } from './second-factor-view.ts';

const PATH = '/signin/step-up';

interface About {
  returnTo: ReturnTo;
  session: Session | undefined;
  by: readonly Method[];
}

export function stepUpPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    async about(request, reply): Promise<About> {
      const returnTo = await parseReturnTo(request, reply, parts);
      const session = returnTo.page ? returnTo.page.facts.session : await sessionOf(request, parts);
      return { returnTo, session, by: session === undefined ? [] : waysUp(returnTo, session) };
    },
    elsewhere({ returnTo, session, by }) {
      if (session === undefined) return loginUrl('/signin', returnTo);
      return by.length > 0 ? undefined : returnUrl(returnTo);
    },
    read: () => ({}),
    faults: ({ request }) =>
      formOf(request).get('code') === undefined && formOf(request).get('passkey') === undefined
        ? [{ field: 'code', text: ({ problems }) => problems.codeMissing }]
        : [],
    async act({ request, reply, about: { returnTo: way, session } }) {
      if (session === undefined) return loginUrl('/signin', way);
      const returnTo = answered(reply, way);
      // Under a new id, as whenever somebody signs in, and with the name that the session had.
      if (formOf(request).get('passkey') !== undefined)
        return loginByPasskey(request, reply, parts, returnTo, 'refusedHere');
      const { userId, idHash } = session;
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const outcome = await stepUp(parts, { userId, idHash, code }, from, parts.now);
      if (outcome === 'over') return loginUrl('/signin', returnTo);
      if (outcome === 'tooMany')
        return { status: 429, faults: [{ field: 'code', text: ({ problems }) => problems.codesTried }] };
      if (outcome === 'wrong')
        return { status: 401, faults: [{ field: 'code', text: ({ problems }) => problems.codeWrong }] };
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
            ...returnFields(returnTo),
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

  /** Whoever has no password and came in by a recovery code may have lost their passkeys: they can make one while it is fresh (D43). */
  const mayMakeAnother = (session: Session | undefined): boolean =>
    session !== undefined &&
    !session.hasPassword &&
    !isStrong(session.methods) &&
    isRecent(session, parts.now()) &&
    relyingPartyOf(parts.config) !== undefined;

  /** On the way to a page of our own, two factors are what is asked. */
  function waysUp({ page }: ReturnTo, session: Session): readonly Method[] {
    if (page === undefined) return isStrong(session.methods) ? [] : meansOf(session);
    const step = stepOf(parts, page);
    return step.next === 'step-up' ? step.by : [];
  }

  /** Where the application only wishes for it, the way on without; else undefined. */
  function withoutAddress(reply: FastifyReply, returnTo: ReturnTo): string | undefined {
    const { page } = answered(reply, returnTo);
    if (page === undefined || stepOf(parts, page).next === 'step-up') return undefined;
    return pendingAddress('/oauth/authorize', page.sealed);
  }

  /** The same way, on which wishes have been answered: by what was shown, or by going on without. */
  function answered(reply: FastifyReply, { page, next }: ReturnTo): ReturnTo {
    if (page === undefined) return { page, next };
    const pending = { ...page.pending, wishAnswered: true as const };
    return { page: { ...page, pending, sealed: seal(reply, parts, pending) }, next };
  }
}
