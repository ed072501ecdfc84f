// /signin/step-up: somebody who is signed in shows a second factor, too, because where they are going asks for it (D41, D42).
import type { FastifyInstance, FastifyReply } from 'fastify';
import { stepUp } from '../../credentials/second-factor.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isStrong, meansOf } from '../../oauth/authentication-methods.ts';
import { sessionOf } from '../../web/browser.ts';
import {
  attemptingOf,
  destinationOf,
  entranceAddress,
  type Onward,
  onTheWay,
  onTheWayOfForm,
  onwardHere,
  sendOn,
  switchAddress,
} from '../../web/entering.ts';
import { enterByPasskey } from '../../web/entering-by-passkey.ts';
import { offering, signInOptions } from '../../web/passkeys.ts';
import { pendingAddress, seal, stepOf } from '../../web/pending.ts';
import { stepUpView } from './second-factor-view.ts';

const PATH = '/signin/step-up';

export function stepUpPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    async about(request, reply) {
      const onward = await onwardHere(request, reply, parts);
      const session = onward.page ? onward.page.facts.session : await sessionOf(request, parts);
      return { onward, session };
    },
    elsewhere({ onward, session }) {
      if (session === undefined) return entranceAddress('/signin', onward);
      const { page, next } = onward;
      if (page !== undefined)
        return stepOf(parts, page).next === 'step-up'
          ? undefined
          : pendingAddress('/oauth/authorize', page.sealed);
      return isStrong(session.methods) || meansOf(session).length === 0 ? (next ?? '/account') : undefined;
    },
    read: () => ({}),
    faults: ({ request }) =>
      formOf(request).get('code') === undefined && formOf(request).get('passkey') === undefined
        ? [{ field: 'code', text: ({ problems }) => problems.codeMissing }]
        : [],
    async act({ request, reply, about: { onward, session } }) {
      if (session === undefined) return entranceAddress('/signin', onward);
      // Under a new id, as whenever somebody signs in, and with the name that the session had.
      if (formOf(request).get('passkey') !== undefined) return enterByPasskey(request, reply, parts, onward);
      const { userId, idHash } = session;
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const outcome = await stepUp(parts, { userId, idHash, code }, from, parts.now);
      if (outcome === 'over') return entranceAddress('/signin', onward);
      if (outcome === 'tooMany')
        return { status: 429, faults: [{ field: 'code', text: ({ problems }) => problems.codesTried }] };
      if (outcome === 'wrong')
        return { status: 401, faults: [{ field: 'code', text: ({ problems }) => problems.codeWrong }] };
      return () => sendOn(reply, onward);
    },
    address: ({ onward }) => entranceAddress(PATH, onward),
    page: async ({ request, reply, about: { onward, session } }) => {
      const passkey = session && (await signInOptions(reply, parts, session.userId));
      return {
        ...onTheWay(onward),
        ...offering(passkey),
        accountLocale: session?.locale,
        title: ({ signIn: { secondFactor } }) =>
          (session?.asksForCode ? secondFactor : secondFactor.byPasskey).title,
        main: (form) =>
          stepUpView({
            ...form,
            ...onTheWayOfForm(onward),
            application: onward.page && destinationOf(onward.page),
            account: session,
            switchAccountHref: switchAddress(request, onward),
            withoutHref: withoutAddress(reply, onward),
            passkey,
            hasApp: session?.asksForCode ?? false,
          }),
      };
    },
  });

  /** Where the application only wishes for it, the way on without; else undefined. */
  function withoutAddress(reply: FastifyReply, { page }: Onward): string | undefined {
    if (page === undefined) return undefined;
    const pending = { ...page.pending, wishRefused: true as const };
    if (stepOf(parts, { ...page, pending }).next === 'step-up') return undefined;
    return pendingAddress('/oauth/authorize', seal(reply, parts, pending));
  }
}
