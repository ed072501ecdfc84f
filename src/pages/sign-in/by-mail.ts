// GET and POST /signin/code and /signin/link: a sign-in that a mail has to confirm (D60). Only the forms use it up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { askForSignIn, signInByCode, signInByLink } from '../../credentials/sign-in-by-mail.ts';
import { formOf, queryOf, requireForm } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { tokenHash } from '../../mail/one-time-tokens.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { fromOf, openFormToken, requireOpenForm, sendDeadLink } from '../../web/asking.ts';
import { browserIdsOf, ensureBrowserId } from '../../web/browser.ts';
import { enter, entranceAddress, keptOnward, type Onward, onwardOf, originOf } from '../../web/entering.ts';
import { type Fault, inWords } from '../../web/faults.ts';
import { noticeSignIn } from '../../web/known-browsers.ts';
import { sendPage } from '../../web/page.ts';
import { signInCodeView, signInElsewhereView, signInLinkView } from './by-mail-view.ts';

const CODE = '/signin/code';
const LINK = '/signin/link';
const PURPOSE = 'sign-in-by-mail';

/** What a browser is known by in the database: nothing from which its cookie could be made (D32). */
const nameOf = (parts: Parts, browserId: string): string =>
  parts.sealer.mac(PURPOSE, browserId).toString('base64url');

/**
 * Leads on to where the code is typed, and has a mail sent if the password was right: the answer is the same.
 * @param userId absent when the password was wrong, or there is no account
 */
export async function leadToMail(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  { userId, email }: { userId: string | undefined; email: string },
  onward: Onward,
): Promise<FastifyReply> {
  const browser = nameOf(parts, ensureBrowserId(request, reply, parts));
  const { page, next } = onward;
  const kept = { ...(page && { pending: page.sealed }), ...(next !== undefined && { next }) };
  const from = fromOf(request, reply, parts);
  await askForSignIn(parts, { userId: userId ?? null, browser, ...from, onward: kept });
  const ticket = parts.sealer.seal(PURPOSE, Buffer.from(JSON.stringify([browser, email])));
  const here = entranceAddress(CODE, onward);
  return reply.redirect(`${here}${here.includes('?') ? '&' : '?'}token=${ticket}`, 303);
}

export function signInByMailPages(app: FastifyInstance, parts: Parts): void {
  const { sealer, database } = parts;
  const isHere = (request: FastifyRequest, browser: string | undefined) =>
    browserIdsOf(request, parts).some((id) => nameOf(parts, id) === browser);

  /** What the page was opened with, if it was in this browser. */
  function ticketOf(request: FastifyRequest, text: string | undefined) {
    const bytes = text === undefined ? undefined : sealer.open(PURPOSE, text);
    if (text === undefined || bytes === undefined) return undefined;
    const [browser, email] = JSON.parse(bytes.toString()) as [string, string];
    return isHere(request, browser) ? { text, browser, email } : undefined;
  }
  type Ticket = NonNullable<ReturnType<typeof ticketOf>>;

  app.get(CODE, async (request, reply) => {
    const query = queryOf(request);
    const onward = await onwardOf(request, reply, parts, query);
    const ticket = ticketOf(request, query.get('token'));
    if (ticket === undefined) return sendDeadLink(request, reply, parts);
    return showCode(request, reply, ticket, onward, []);
  });

  app.post(CODE, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const form = formOf(request);
    const onward = await onwardOf(request, reply, parts, form);
    const ticket = ticketOf(request, form.get('token'));
    if (ticket === undefined) return sendDeadLink(request, reply, parts);
    const code = form.get('code');
    if (code === undefined)
      return showCode(request, reply, ticket, onward, [
        { field: 'code', text: (messages) => messages.account.credentials.codeMissing },
      ]);
    const entered = await signInByCode(parts, { ...ticket, code }, originOf(request, parts), parts.now());
    if (entered === undefined)
      return showCode(request, reply, ticket, onward, [
        { field: 'code', text: (messages) => messages.account.credentials.signInByMail.codeWrong },
      ]);
    await noticeSignIn(request, reply, parts, entered.session);
    return enter(reply, parts, entered.session.id, onward);
  });

  app.get(LINK, async (request, reply) => {
    const token = queryOf(request).get('token');
    const hash = tokenHash(token);
    const found = hash && (await findToken(database, hash, ['sign_in'], parts.now()));
    if (token === undefined || found === undefined) return sendDeadLink(request, reply, parts);
    if (!isHere(request, found.detail.browser))
      return sendPage(request, reply, parts, {
        token,
        title: (messages) => messages.account.credentials.signInByMail.elsewhereTitle,
        main: signInElsewhereView,
      });
    const csrf = openFormToken(request, reply, parts);
    return sendPage(request, reply, parts, {
      token,
      // The form may end at the application that the person was going to.
      formsLeave: found.detail.pending !== undefined,
      title: (messages) => messages.account.credentials.signInByMail.linkTitle,
      main: (messages) => signInLinkView({ messages, csrf, token, email: found.email }),
    });
  });

  app.post(LINK, { preHandler: requireForm }, async (request, reply) => {
    requireOpenForm(request, parts);
    const hash = tokenHash(formOf(request).get('token'));
    const found = hash && (await findToken(database, hash, ['sign_in'], parts.now()));
    // In another browser it would sign somebody in who was sent the link.
    if (hash === undefined || found === undefined || !isHere(request, found.detail.browser))
      return sendDeadLink(request, reply, parts);
    const entered = await signInByLink(parts, hash, originOf(request, parts), parts.now());
    if (entered === undefined) return sendDeadLink(request, reply, parts);
    await noticeSignIn(request, reply, parts, entered.session);
    const onward = await keptOnward(request, reply, parts, entered.onward, '/account');
    return enter(reply, parts, entered.session.id, onward);
  });

  function showCode(
    request: FastifyRequest,
    reply: FastifyReply,
    { text: token, email }: Ticket,
    onward: Onward,
    faults: Fault[],
  ): FastifyReply {
    const { page, next } = onward;
    const csrf = openFormToken(request, reply, parts);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.account.credentials.signInByMail.title,
      hasErrors: faults.length > 0,
      pending: page && { sealed: page.sealed, uiLocales: page.pending.request.uiLocales },
      next,
      token,
      main: (messages) =>
        signInCodeView({
          messages,
          csrf,
          token,
          pending: page?.sealed,
          next,
          email,
          againHref: entranceAddress('/signin', onward),
          errors: inWords(faults, messages),
        }),
    });
  }
}
