// GET and POST /signup.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName, isEmail, NAME_MAX, nameFault } from '../../accounts/account-fields.ts';
import { maySignUp } from '../../accounts/limits.ts';
import { askForVerification } from '../../credentials/email-address.ts';
import { PASSWORD_MIN } from '../../credentials/password-length.ts';
import { startSession } from '../../credentials/sign-in.ts';
import { createAccount } from '../../credentials/sign-up.ts';
import { PageFault } from '../../http/failures.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { temporarilyUnavailable } from '../../oauth/errors.ts';
import { newPasswordFaults } from '../../web/asking.ts';
import { browserIdsOf, ensureBrowserId, localeOf, sessionOf } from '../../web/browser.ts';
import { csrfToken, isCsrfToken, requireOwnOrigin } from '../../web/csrf.ts';
import {
  destinationOf,
  enter,
  entranceAddress,
  type Onward,
  onwardOf,
  originOf,
  sendOn,
} from '../../web/entering.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { rememberBrowser } from '../../web/known-browsers.ts';
import { sendPage } from '../../web/page.ts';
import { signUpView } from './sign-up-view.ts';

type FormFault = Fault<'name' | 'email' | 'password'>;
type Fields = { name: string; email: string; status?: number; faults?: FormFault[] };

export function signUpPage(app: FastifyInstance, parts: Parts): void {
  const { config, database, hasher } = parts;

  const requireOpen = async () => {
    if (!config.signUpOpen)
      throw new PageFault('signUpClosed', 403, 'access_denied', 'Sign-up is closed on this service.', {
        kind: 'sign_up_closed',
      });
  };

  app.get('/signup', { preHandler: requireOpen }, async (request, reply) => {
    const onward = await onwardOf(request, reply, parts, queryOf(request));
    if (onward.page === undefined && (await sessionOf(request, parts)) !== undefined)
      return sendOn(reply, onward);
    return show(request, reply, onward, { name: '', email: onward.page?.pending.request.loginHint ?? '' });
  });

  app.post('/signup', { preHandler: [requireOpen, requireForm] }, async (request, reply) => {
    requireOwnOrigin(request, config.baseUrl);
    const form = formOf(request);
    const onward = await onwardOf(request, reply, parts, form);
    const name = cleanName(form.get('name') ?? '');
    const email = form.get('email')?.trim() ?? '';
    const password = form.get('password') ?? '';
    if (!isCsrfToken(parts.sealer, form.get('csrf'), browserIdsOf(request, parts)))
      return show(request, reply, onward, {
        name,
        email,
        status: 403,
        faults: [{ text: (messages) => messages.problems.formExpired }],
      });
    const faults = await faultsOf(name, email, password);
    if (faults.length > 0) return show(request, reply, onward, { name, email, status: 400, faults });

    const origin = originOf(request, parts);
    if (!(await maySignUp(parts, origin.address, parts.now())))
      return show(request, reply, onward, {
        name,
        email,
        status: 429,
        faults: [{ text: (messages) => messages.account.credentials.tooManySignUps }],
      });
    // Mails will be in the language of this page, until the person chooses another.
    const locale = localeOf(request, reply, parts, onward.page?.pending.request.uiLocales);
    const account = await createAccount(database, hasher, { name, email, password, locale }, parts.now());
    if (account === undefined)
      return show(request, reply, onward, {
        name,
        email,
        status: 400,
        faults: [{ field: 'email', text: (messages) => messages.problems.emailTaken }],
      });
    const { userId, passwordHash } = account;
    const session = await startSession(
      { database, sessionLifetime: config.sessionTtl },
      userId,
      passwordHash,
      origin,
      parts.now(),
      { kind: 'signed_up' },
    );
    if (session === undefined) throw temporarilyUnavailable('the account was ended as it was created');
    rememberBrowser(request, reply, parts, session, 'account');
    // The person goes on at once; the address stays unverified until they come back to it.
    if (parts.mailer.available)
      await askForVerification(parts, { userId, email, locale, ...origin }, parts.now()).catch((error) =>
        request.log.warn({ err: error }, 'a verification mail could not be prepared'),
      );
    return enter(reply, parts, session.id, onward);
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    onward: Onward,
    { name, email, status = 200, faults = [] }: Fields,
  ): FastifyReply {
    const { page, next } = onward;
    const csrf = csrfToken(parts.sealer, ensureBrowserId(request, reply, parts));
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.signUp.title,
      hasErrors: faults.length > 0,
      pending: page && { sealed: page.sealed, uiLocales: page.pending.request.uiLocales },
      next,
      main: (messages) =>
        signUpView({
          messages,
          csrf,
          pending: page?.sealed,
          next,
          application: page && destinationOf(page),
          name,
          email,
          errors: inWords(faults, messages),
          signInHref: entranceAddress('/signin', onward),
          passwordMinimum: PASSWORD_MIN,
        }),
    });
  }
}

async function faultsOf(name: string, email: string, password: string): Promise<FormFault[]> {
  const faults: FormFault[] = [];
  const inName = nameFault(name);
  if (inName !== undefined)
    faults.push({
      field: 'name',
      text: ({ problems }) =>
        inName === 'nameMissing' ? problems.nameRequired : problems.nameTooLong(NAME_MAX),
    });
  if (!isEmail(email)) faults.push({ field: 'email', text: ({ problems }) => problems.emailInvalid });
  faults.push(...(await newPasswordFaults('password', password)));
  return faults;
}
