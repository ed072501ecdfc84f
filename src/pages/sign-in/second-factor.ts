// /signin/second-factor: after the right password, the code of the authenticator app, or a recovery code.
import type { FastifyInstance } from 'fastify';
import { finishSignIn } from '../../credentials/second-factor.ts';
import { trust } from '../../credentials/second-factor-setup.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { PageFault } from '../../http/failures.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { headerOf } from '../../http/request.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import { PASSKEY_SCRIPTS } from '../../web/html/passkey.ts';
import { keepTrust, noticeSignIn } from '../../web/known-browsers.ts';
import {
  attemptingOf,
  finishPasswordLogin,
  halfSignedIn,
  loginByPasskey,
  originOf,
} from '../../web/login.ts';
import { offering, signInOptions } from '../../web/passkeys.ts';
import { loginUrl, parseReturnTo, type ReturnTo, returnFields } from '../../web/return-to.ts';
import { secondFactorView } from './second-factor-view.ts';

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
    faults: ({ request }) =>
      formOf(request).get('code') === undefined && formOf(request).get('passkey') === undefined
        ? [{ field: 'code', text: ({ problems }) => problems.codeMissing }]
        : [],
    async act({ request, reply, about: { half, returnTo }, fields }) {
      const { userId, mark } = half;
      if (formOf(request).get('passkey') !== undefined)
        return loginByPasskey(request, reply, parts, returnTo, 'refusedHere');
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const session = await finishSignIn(parts, { userId, mark, code }, from, originOf(request), parts.now);
      if (session === 'over') throw over(returnTo);
      if (session === 'tooMany')
        return { status: 429, faults: [{ field: 'code', text: ({ problems }) => problems.codesTried }] };
      if (session === 'wrong')
        return { status: 401, faults: [{ field: 'code', text: ({ problems }) => problems.codeWrong }] };
      if (fields.trust) {
        const { browserEpoch } = session;
        const userAgent = headerOf(request, 'user-agent');
        keepTrust(reply, await trust(parts, { userId, browserEpoch, userAgent }, parts.now()));
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
            ...returnFields(returnTo),
            ...fields,
            passkey,
            mayBeOffered,
            half: half.text,
            againHref: loginUrl('/signin', returnTo),
          }),
      };
    },
  });
}

/** 400: it was begun in another browser, too long ago, or before the password changed. */
const over = (returnTo: ReturnTo): PageFault =>
  new PageFault(
    'secondFactorOver',
    invalidRequest('The sign-in has to start again.', { kind: 'page_form' }),
    { startAgain: loginUrl('/signin', returnTo) },
  );
