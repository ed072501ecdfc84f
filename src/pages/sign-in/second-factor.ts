// /signin/second-factor: after the right password, the code of the authenticator app, or a recovery code.
import type { FastifyInstance } from 'fastify';
import { relyingPartyOf } from '../../credentials/relying-party.ts';
import { finishSignIn } from '../../credentials/second-factor.ts';
import { trust } from '../../credentials/second-factor-setup.ts';
import { PageFault } from '../../http/failures.ts';
import { headerOf } from '../../http/headers.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { invalidRequest } from '../../oauth/errors.ts';
import {
  attemptingOf,
  enterWithPassword,
  entranceAddress,
  type Onward,
  onTheWay,
  onTheWayOfForm,
  onwardHere,
  originOf,
} from '../../web/entering.ts';
import { enterByPasskey } from '../../web/entering-by-passkey.ts';
import { halfSignedIn } from '../../web/half-signed-in.ts';
import { PASSKEY_SCRIPTS } from '../../web/html/passkey.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import { offering, signInOptions } from '../../web/passkeys.ts';
import { keepTrust } from '../../web/trusted-browser.ts';
import { secondFactorView } from './second-factor-view.ts';

const PATH = '/signin/second-factor';

export function secondFactorPage(app: FastifyInstance, parts: Parts): void {
  app.formPage({
    url: PATH,
    async about(request, reply) {
      const onward = await onwardHere(request, reply, parts);
      const half = halfSignedIn(request, parts);
      if (half === undefined) throw over(onward);
      return { half, onward };
    },
    read: (form) => ({ trust: form.get('trust') === 'yes' }),
    faults: ({ request }) =>
      formOf(request).get('code') === undefined && formOf(request).get('passkey') === undefined
        ? [{ field: 'code', text: ({ problems }) => problems.codeMissing }]
        : [],
    async act({ request, reply, about: { half, onward }, fields }) {
      const { userId, mark } = half;
      if (formOf(request).get('passkey') !== undefined)
        return enterByPasskey(request, reply, parts, onward, 'refusedHere');
      const code = formOf(request).get('code') ?? '';
      const from = attemptingOf(request, parts);
      const session = await finishSignIn(parts, { userId, mark, code }, from, originOf(request), parts.now);
      if (session === 'over') throw over(onward);
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
      return () => enterWithPassword(request, reply, session, onward);
    },
    address: ({ half, onward }) => half.address(onward),
    page: async ({ reply, about: { half, onward }, fields }) => {
      const passkey = await signInOptions(reply, parts, half.userId);
      const mayBeOffered = passkey === undefined && relyingPartyOf(parts.config) !== undefined;
      return {
        ...onTheWay(onward),
        ...(mayBeOffered ? { scripts: PASSKEY_SCRIPTS } : offering(passkey)),
        title: (messages) => messages.signIn.secondFactor.title,
        main: (form) =>
          secondFactorView({
            ...form,
            ...onTheWayOfForm(onward),
            ...fields,
            passkey,
            mayBeOffered,
            half: half.text,
            againHref: entranceAddress('/signin', onward),
          }),
      };
    },
  });
}

/** 400: it was begun in another browser, too long ago, or before the password changed. */
const over = (onward: Onward): PageFault =>
  new PageFault(
    'secondFactorOver',
    invalidRequest('The sign-in has to start again.', { kind: 'page_form' }),
    { startAgain: entranceAddress('/signin', onward) },
  );
