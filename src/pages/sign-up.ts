// GET and POST /signup.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName, isEmail, NAME_MAX, nameFault, passwordFault } from '../accounts/account-fields.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '../accounts/password-length.ts';
import { startSession } from '../accounts/sign-in.ts';
import { createAccount } from '../accounts/sign-up.ts';
import type { Messages } from '../i18n/index.ts';
import { serverError } from '../oauth/errors.ts';
import type { Parts } from '../parts.ts';
import { browserIdsOf, ensureBrowserId, sessionOf } from '../plugins/browser.ts';
import { csrfToken, isCsrfToken, requireOwnOrigin } from '../plugins/csrf.ts';
import { PageFault } from '../plugins/failures.ts';
import { sendPage } from '../plugins/page.ts';
import { formOf, queryOf, requireForm } from '../plugins/parameters.ts';
import { type PendingPage, pendingAddress } from '../plugins/pending.ts';
import { destinationOf, enter, originOf, pendingOf } from './entering.ts';
import { signUpView } from './views/sign-up.ts';

type Fault = { field?: 'name' | 'email' | 'password'; text: (messages: Messages) => string };
type Fields = { name: string; email: string; status?: number; faults?: Fault[] };

export function signUpPage(app: FastifyInstance, parts: Parts): void {
  const { config, database, hasher } = parts;

  const requireOpen = async () => {
    if (!config.signUpOpen)
      throw new PageFault('signUpClosed', 403, 'access_denied', 'Sign-up is closed on this service.');
  };

  app.get('/signup', { preHandler: requireOpen }, async (request, reply) => {
    const page = await pendingOf(request, reply, parts, queryOf(request).get('pending'));
    if (page === undefined && (await sessionOf(request, parts)) !== undefined)
      return reply.redirect('/', 303);
    return show(request, reply, page, { name: '', email: page?.pending.request.loginHint ?? '' });
  });

  app.post('/signup', { preHandler: [requireOpen, requireForm] }, async (request, reply) => {
    requireOwnOrigin(request, config.baseUrl);
    const form = formOf(request);
    const page = await pendingOf(request, reply, parts, form.get('pending'));
    const name = cleanName(form.get('name') ?? '');
    const email = form.get('email')?.trim() ?? '';
    const password = form.get('password') ?? '';
    if (!isCsrfToken(parts.sealer, form.get('csrf'), browserIdsOf(request, parts)))
      return show(request, reply, page, {
        name,
        email,
        status: 403,
        faults: [{ text: (messages) => messages.problems.formExpired }],
      });
    const faults = await faultsOf(name, email, password);
    if (faults.length > 0) return show(request, reply, page, { name, email, status: 400, faults });

    const account = await createAccount(database, hasher, { name, email, password }, parts.now());
    if (account === undefined)
      return show(request, reply, page, {
        name,
        email,
        status: 400,
        faults: [{ field: 'email', text: (messages) => messages.problems.emailTaken }],
      });
    const { userId, passwordHash } = account;
    const origin = originOf(request, parts);
    const id = await startSession(
      { database, sessionLifetime: config.sessionTtl },
      userId,
      passwordHash,
      origin,
      parts.now(),
    );
    if (id === undefined) throw serverError('the account vanished while it was created');
    return enter(reply, parts, id, page);
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    page: PendingPage | undefined,
    { name, email, status = 200, faults = [] }: Fields,
  ): FastifyReply {
    const csrf = csrfToken(parts.sealer, ensureBrowserId(request, reply, parts));
    return sendPage(request, reply, parts, {
      status,
      title: (messages) => messages.signUp.title,
      hasErrors: faults.length > 0,
      pending: page && { sealed: page.sealed, uiLocales: page.pending.request.uiLocales },
      main: (messages) =>
        signUpView({
          messages,
          csrf,
          pending: page?.sealed,
          application: page && destinationOf(page),
          name,
          email,
          errors: faults.map(({ field, text }) => ({ field, text: text(messages) })),
          signInHref: page === undefined ? '/signin' : pendingAddress('/signin', page.sealed),
          passwordMinimum: PASSWORD_MIN,
        }),
    });
  }
}

async function faultsOf(name: string, email: string, password: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  const inName = nameFault(name);
  if (inName !== undefined)
    faults.push({
      field: 'name',
      text: ({ problems }) =>
        inName === 'nameMissing' ? problems.nameRequired : problems.nameTooLong(NAME_MAX),
    });
  if (!isEmail(email)) faults.push({ field: 'email', text: ({ problems }) => problems.emailInvalid });
  const inPassword = await passwordFault(password);
  if (inPassword !== undefined)
    faults.push({
      field: 'password',
      text: ({ problems }) =>
        ({
          passwordTooShort: problems.passwordTooShort(PASSWORD_MIN),
          passwordTooLong: problems.passwordTooLong(PASSWORD_MAX),
          passwordTooCommon: problems.passwordTooCommon,
        })[inPassword],
    });
  return faults;
}
