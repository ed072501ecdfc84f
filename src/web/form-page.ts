// How every page with a form works: GET shows it, POST does what it asks for and leads on, or back to the page, which
// shows what there is to put right. So what a browser goes back to or loads again is never the answer to a POST.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formOf, queryOf, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { UPLOAD } from '../http/route-config.ts';
import type { Locale, Messages } from '../i18n/index.ts';
import type { SecurityNotice } from '../mail/letter.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';
import { isOpenForm, openFormHolder, openFormToken } from './asking.ts';
import { chosenLanguage } from './browser.ts';
import { requireOwnOrigin } from './csrf.ts';
import { doneOf, type Fault, type Refusal } from './faults.ts';
import type { FormState } from './html/form.ts';
import type { Html } from './html/html.ts';
import { PASSKEY_SCRIPTS, passkeySignal } from './html/passkey.ts';
import { keptForm } from './kept-form.ts';
import { type Authentication, fieldOfProof, isRecent, memberOf, reauthenticate } from './member.ts';
import { noticeToMember } from './member-notices.ts';
import type { Page } from './page.ts';
import { confirmOptions, unknownPasskey } from './passkeys.ts';
import { withParameter } from './return-to.ts';
import { keepLong, openLong, openSent, refusedForm, type SentForm, sealSent } from './sent-form.ts';
import { refusedOnce } from './sent-once.ts';

/** A request with what its form is about and what it says. */
export interface Sent<About, Fields> {
  request: FastifyRequest;
  reply: FastifyReply;
  about: About;
  fields: Fields;
  /** What the session has shown, where the form needed re-authentication. */
  authentication?: Authentication;
}

/** What was done in a member's name. */
interface Done {
  to: Answer;
  /** The mail that tells them of it. */
  notice?: SecurityNotice | undefined;
  /** What it was done to: the name of an application, or a mail address. */
  subject?: string;
}

/** A page with a form; its checks run in the order of these members. */
export interface FormPage<About, Fields> {
  /** The address of the page, and the action of its form. */
  url: string;
  /** Whom or what it is about. @throws OAuthError `not_found` */
  about: (request: FastifyRequest, reply: FastifyReply) => About | Promise<About>;
  /** Where page and form lead, or what they answer, when there is nothing to fill in. */
  elsewhere?: (about: About, request: FastifyRequest, reply: FastifyReply) => MaybeLater<Answer | undefined>;
  /** What the form says, as the page shows it again: never a password. */
  read: (form: Parameters, about: About, request: FastifyRequest) => Fields;
  /** What the form says when the page is opened; that of an empty form when absent. */
  begin?: (about: About, request: FastifyRequest) => Fields;
  /** What is wrong with the fields. */
  faults?: (sent: Sent<About, Fields>) => MaybeLater<readonly Fault[]>;
  /** Whether it needs a recent sign-in or the password, asked for only where nothing else is wrong. */
  proof?: true | ((sent: Sent<About, Fields>) => boolean);
  /** The form brings a file (web/uploads.ts: `fileOf`). */
  upload?: true;
  /** Page and form are only for accounts with a verified email address (web/member.ts: `mustVerifyEmail`). */
  verifiedEmail?: true;
  /** Whoever sends it again is answered by a rule of its own, not by web/sent-once.ts. */
  answersAgain?: true;
  /** Does it. @returns the answer, or why it cannot be done */
  act: (sent: Sent<About, Fields>) => Promise<Outcome>;
  /** The words for `?done=` in the address. */
  done?: (messages: Messages) => Record<string, string>;
  /** The address that leads back to the page; that of the request when absent. */
  address?: (about: About) => string;
  page: (
    sent: Sent<About, Fields>,
  ) => MaybeLater<Omit<Page, 'main' | 'status'> & { main: (state: FormState, locale: Locale) => Html }>;
}

type MaybeLater<T> = T | Promise<T>;

/** The address that a form leads to, or what sends an answer that is shown once and can have no address. */
type Answer = string | (() => FastifyReply);

type Outcome = Answer | Done | Refusal;

const EMPTY = parseParameters('');

/** What `area.formPage` does (web/pages.ts). */
export function formPage<About, Fields extends object>(
  area: FastifyInstance,
  parts: Parts,
  declared: FormPage<About, Fields>,
): void {
  const { url, upload, answersAgain, verifiedEmail } = declared;
  const guard = verifiedEmail && { verifiedEmail };
  const config = { ...guard, ...(upload && UPLOAD), ...(answersAgain && { answersAgain }) };

  area.get(url, { config: { ...guard } }, async (request, reply) => {
    const about = await declared.about(request, reply);
    const sent = await sentOf(reply);
    const elsewhere = isRefused(sent) ? undefined : await declared.elsewhere?.(about, request, reply);
    if (elsewhere !== undefined) return give(reply, elsewhere);
    const kept = keptForm(request, parts);
    const begun = kept
      ? declared.read(kept, about, request)
      : (declared.begin?.(about, request) ?? declared.read(EMPTY, about, request));
    return show({ request, reply, about, fields: { ...begun, ...sent?.fields } }, sent, kept !== undefined);
  });

  area.post(url, { config }, async (request, reply): Promise<FastifyReply> => {
    const isMember = request.member !== undefined;
    if (!isMember) {
      await requireForm(request);
      requireOwnOrigin(request);
    }
    const about = await declared.about(request, reply);
    const elsewhere = await declared.elsewhere?.(about, request, reply);
    const changesLanguage = chosenLanguage(request) !== undefined;
    if (elsewhere !== undefined) return changesLanguage ? turn(reply) : give(reply, elsewhere);
    const sent = { request, reply, about, fields: declared.read(formOf(request), about, request) };
    const isOurs = isMember || isOpenForm(request, parts);
    if (changesLanguage) return turn(reply, isOurs ? sent : undefined);
    // A browser without our cookie could not be shown the reason on another page.
    if (!isOurs)
      return show(sent, refusedForm(sent.fields, [{ text: ({ problems }) => problems.formExpired }], 403));
    const checked = await check(sent);
    if (isRefusal(checked)) return leadBack(sent, checked);
    const outcome = await declared.act(checked);
    return isRefusal(outcome) ? leadBack(checked, outcome) : conclude(reply, parts, outcome);
  });

  async function sentOf(reply: FastifyReply): Promise<SentForm<Fields> | undefined> {
    const { url: address, member } = reply.request;
    const text = queryOf(reply.request).get('sent');
    if (text === undefined) return undefined;
    const ticket = ticketOf(reply, address);
    return openSent(parts.sealer, text, ticket) ?? (member && (await openLong(parts, text, ticket)));
  }

  /** Checks the fields, then re-authenticates the user where the form needs that. */
  async function check(sent: Sent<About, Fields>): Promise<Sent<About, Fields> | Refusal> {
    const faults = (await declared.faults?.(sent)) ?? [];
    if (faults.length > 0) return { faults };
    const needsProof = typeof declared.proof === 'function' ? declared.proof(sent) : declared.proof;
    if (!needsProof) return sent;
    const authentication = await reauthenticate(sent.request, parts);
    if (typeof authentication === 'object') return { ...sent, authentication };
    return {
      faults: [{ field: fieldOfProof(authentication), text: ({ problems }) => problems[authentication] }],
    };
  }

  async function leadBack(sent: Sent<About, Fields>, { status = 400, faults }: Refusal) {
    const { request, reply, about, fields } = sent;
    refusedOnce(request);
    const refused = {
      ...refusedForm(fields, faults, status),
      unknownPasskey: await unknownPasskey(request, parts),
    };
    const here = declared.address?.(about) ?? pathOf(request.url);
    const sealed = await carried(reply, here, refused);
    if (sealed === undefined) return show(sent, refused);
    return reply.redirect(withParameter(here, 'sent', sealed), 303);
  }

  /**
   * To the same page in the language that was chosen at its foot (`?lang=`), with what was typed and what the page had to say:
   * nothing else is done.
   */
  async function turn(reply: FastifyReply, sent?: Sent<About, Fields>): Promise<FastifyReply> {
    const { url: address } = reply.request;
    refusedOnce(reply.request);
    if (sent === undefined) return reply.redirect(address, 303);
    const { fields } = sent;
    const said = { ...((await sentOf(reply)) ?? refusedForm(fields, [], 200)), fields };
    const here = pathOf(address);
    const sealed = await carried(reply, here, said);
    if (sealed === undefined) return show(sent, said);
    const query = new URLSearchParams([...queryOf(reply.request).entries]);
    query.set('sent', sealed);
    return reply.redirect(`${here}?${query}`, 303);
  }

  /** The value of `sent` that leads to it; undefined where it is too long. */
  async function carried(reply: FastifyReply, here: string, form: SentForm<Fields>) {
    const ticket = ticketOf(reply, here);
    // Nothing is written for a stranger, whose forms are short.
    return (
      sealSent(parts.sealer, form, ticket) ?? (reply.request.member && (await keepLong(parts, form, ticket)))
    );
  }

  async function show(
    sent: Sent<About, Fields>,
    refused?: SentForm<Fields>,
    isKept = false,
  ): Promise<FastifyReply> {
    const { request, reply } = sent;
    const member = request.member;
    const { main, ...page } = await declared.page(sent);
    const recent =
      member !== undefined && (sent.authentication !== undefined || isRecent(member, parts.now()));
    const passkey =
      member === undefined || recent || declared.proof === undefined
        ? undefined
        : await confirmOptions(member, parts);
    const unknown = refused?.unknownPasskey;
    return reply.page({
      ...page,
      ...(unknown !== undefined && { signal: passkeySignal(parts.config.passkeyRpId, { unknown }) }),
      ...(passkey !== undefined && { asks: true, scripts: [...(page.scripts ?? []), ...PASSKEY_SCRIPTS] }),
      status: refused?.status ?? 200,
      hasErrors: isRefused(refused),
      main: (messages, locale) =>
        main(
          {
            messages,
            csrf: tokenOf(reply),
            recent,
            hasPassword: member?.hasPassword ?? true,
            username: member?.email,
            asksForCode: member?.asksForCode ?? false,
            hasPasskeys: (member?.passkeyMethods.length ?? 0) > 0,
            passkey,
            errors: refused?.errors[locale] ?? [],
            isKept,
            notice: doneOf(request, declared.done?.(messages) ?? {}),
          },
          locale,
        ),
    });
  }

  /** Whose form it is. */
  const tokenOf = (reply: FastifyReply): string => reply.request.member?.csrf ?? openFormToken(reply, parts);

  const ticketOf = (reply: FastifyReply, address: string) => ({
    holder: reply.request.member?.holder ?? openFormHolder(reply, parts),
    path: pathOf(address),
    now: parts.now(),
  });
}

/** A form on the page of another one: a button, or a field of its own. */
export interface FormWithin {
  /** The action of the form. Opened as a page, from the language links of an error that answered it, it leads to `page`. */
  url: string;
  /** The page that it stands on, which shows why it could not be done. */
  page: string;
  /** Does it. @returns the answer, or why it cannot be done */
  act: (request: FastifyRequest) => Promise<Outcome>;
}

/** What `area.formWithin` does (web/pages.ts). */
export function formWithin(area: FastifyInstance, parts: Parts, { url, page, act }: FormWithin): void {
  area.post(url, async (request, reply) => {
    const outcome = await act(request);
    if (!isRefusal(outcome)) return conclude(reply, parts, outcome);
    refusedOnce(request);
    const { status = 400, faults } = outcome;
    const ticket = { holder: memberOf(request).holder, path: page, now: parts.now() };
    const sealed = sealSent(parts.sealer, refusedForm({}, faults, status), ticket);
    return reply.redirect(sealed === undefined ? page : `${page}?sent=${sealed}`, 303);
  });
  area.get(url, async (request, reply) => {
    const language = chosenLanguage(request);
    return reply.redirect(language === undefined ? page : `${page}?lang=${language}`, 303);
  });
}

/** Tells of what was done, and leads on. */
async function conclude(reply: FastifyReply, parts: Parts, outcome: Answer | Done): Promise<FastifyReply> {
  if (typeof outcome !== 'object') return give(reply, outcome);
  const { to, notice, subject } = outcome;
  if (notice !== undefined) await noticeToMember(reply.request, parts, notice, subject);
  return give(reply, to);
}

const give = (reply: FastifyReply, answer: Answer): FastifyReply =>
  typeof answer === 'string' ? reply.redirect(answer, 303) : answer();

const isRefused = (form: SentForm<unknown> | undefined): boolean =>
  form !== undefined && Object.values(form.errors).some((errors) => errors.length > 0);

const isRefusal = (outcome: Outcome | Sent<unknown, unknown>): outcome is Refusal =>
  typeof outcome === 'object' && 'faults' in outcome;

const pathOf = (address: string): string => address.split('?', 1)[0] ?? '/';
