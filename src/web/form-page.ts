// Pages with a form: GET shows it, POST acts and redirects, or redirects back to the page with errors and typed values in the
// flash cookie. What a browser reloads or goes back to is never the response to a POST.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Notification, notify, notifyWithin } from '../accounts/notifications.ts';
import { formOf, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { pathOf, UPLOAD } from '../http/route-config.ts';
import { LOCALES, type Locale, type Messages, messagesFor } from '../i18n/index.ts';
import type { SecurityNotice } from '../mail/letter.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { findDestination, runOnce } from '../store/spent-tokens.ts';
import { fromOf } from './browser.ts';
import { isOpenForm, oneUse, openFormToken, requireOwnOrigin } from './csrf.ts';
import { doneOf, type Fault, inWords, type Refusal } from './faults.ts';
import { readFlash, writeFlash } from './flash.ts';
import type { FormError, FormState } from './html/form.ts';
import type { Html } from './html/html.ts';
import { PASSKEY_SCRIPTS, passkeySignal } from './html/passkey.ts';
import { memberOf } from './member.ts';
import type { Page } from './page.ts';
import { confirmOptions, unknownPasskey } from './passkeys.ts';
import { type Authentication, isRecent, reauthenticate } from './reauthentication.ts';
import { returnFields } from './return-to.ts';

/** A request with what its form is about and what it says. */
interface Sent<About, Fields> {
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
  /** Shows the errors of a refused form where `elsewhere` would redirect. */
  keepsRefused?: true;
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
  /**
   * In a member area: `act` deletes what the page is about, or the like, and leads to a URL. A second use of the form leads
   * there, too.
   */
  deletes?: true;
  /** `act` runs in a transaction that writes its notice, too, so that no change goes without it. */
  inTransaction?: true;
  /**
   * Does it.
   * @param database a transaction with `deletes`, which also uses the form up, or `inTransaction`
   * @returns the answer, or why it cannot be done
   */
  act: (sent: Sent<About, Fields>, database: Queryable) => Promise<Outcome>;
  /** The words for `?done=` in the address. */
  done?: (messages: Messages) => Record<string, string>;
  /** The address that leads back to the page; that of the request when absent. */
  address?: (about: About) => string;
  page: (
    sent: Sent<About, Fields>,
  ) => MaybeLater<Omit<Page, 'main' | 'status'> & { main: (state: FormState, locale: Locale) => Html }>;
}

/** A form that was refused. */
interface Refused<Fields> {
  status: number;
  errors: Record<Locale, FormError[]>;
  /** What the page shows again, never a password. */
  fields: Fields;
  /** The id of the passkey in the form, if there is no such passkey. */
  unknownPasskey?: string | undefined;
}

/** What the flash cookie brings to the page of a form. */
interface Flash<Fields> {
  refused?: Refused<Fields>;
  /** The typed form, urlencoded, if its session had ended when it was sent (web/member.ts). */
  unsent?: string;
}

const refusedForm = <Fields>(fields: Fields, faults: readonly Fault[], status: number): Refused<Fields> => ({
  status,
  errors: Object.fromEntries(
    LOCALES.map((locale) => [locale, inWords(faults, messagesFor(locale))]),
  ) as Refused<Fields>['errors'],
  fields,
});

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
  const { url, upload, verifiedEmail, deletes, inTransaction } = declared;
  const guard = verifiedEmail && { verifiedEmail };
  const config = { ...guard, ...(upload && UPLOAD), ...(deletes && { deletes }) };

  area.get(url, { config: { ...guard } }, async (request, reply) => {
    const about = await declared.about(request, reply);
    const flash = readFlash<Flash<Fields>>(reply, parts) ?? {};
    const isKept = flash.refused !== undefined && declared.keepsRefused;
    const elsewhere = isKept ? undefined : await declared.elsewhere?.(about, request, reply);
    if (elsewhere !== undefined) return give(reply, elsewhere);
    const { refused, unsent } = flash;
    const begun =
      unsent === undefined
        ? (declared.begin?.(about, request) ?? declared.read(EMPTY, about, request))
        : declared.read(parseParameters(unsent), about, request);
    const fields = { ...begun, ...refused?.fields };
    return show({ request, reply, about, fields }, refused, unsent !== undefined);
  });

  area.post(url, { config }, async (request, reply): Promise<FastifyReply> => {
    const isMember = request.member !== undefined;
    if (!isMember) {
      await requireForm(request);
      requireOwnOrigin(request);
    }
    let about: About;
    try {
      about = await declared.about(request, reply);
    } catch (error) {
      // A first use of the form may have deleted it since the session was checked.
      const first = deletes && (await findDestination(parts.database, oneUse(request, parts)));
      if (!first) throw error;
      return reply.redirect(first, 303);
    }
    const elsewhere = await declared.elsewhere?.(about, request, reply);
    if (elsewhere !== undefined) return give(reply, elsewhere);
    const sent = { request, reply, about, fields: declared.read(formOf(request), about, request) };
    // A browser without our cookies couldn't read the flash either.
    if (!isMember && !isOpenForm(request, parts))
      return show(sent, refusedForm(sent.fields, [{ text: ({ problems }) => problems.formExpired }], 403));
    const checked = await check(sent);
    if (isRefusal(checked)) return leadBack(sent, checked);
    const outcome = await (deletes || inTransaction
      ? actWithin(checked)
      : declared.act(checked, parts.database));
    if (isRefusal(outcome)) return leadBack(checked, outcome);
    return conclude(reply, parts, outcome);
  });

  /** Acts and writes the notice in a transaction, which uses the form up if it must not repeat. */
  const actWithin = async (sent: Sent<About, Fields>): Promise<Answer | Refusal> => {
    const outcome = await parts.database.transaction(async (transaction): Promise<Answer | Refusal> => {
      const work = async () => {
        const outcome = await declared.act(sent, transaction);
        if (isRefusal(outcome)) return rollback(outcome);
        if (typeof outcome !== 'object') return outcome;
        const notice = noticeOf(sent.request, outcome);
        if (notice !== undefined) await notifyWithin(parts, transaction, notice, parts.now());
        return outcome.to;
      };
      if (!deletes) return work();
      return (await runOnce(transaction, oneUse(sent.request, parts), parts.now(), work)).result;
    });
    parts.mailer.wake();
    return outcome;
  };

  /** Checks the fields, then re-authenticates the user where the form needs that. */
  async function check(sent: Sent<About, Fields>): Promise<Sent<About, Fields> | Refusal> {
    const faults = (await declared.faults?.(sent)) ?? [];
    if (faults.length > 0) return { faults };
    const needsProof = typeof declared.proof === 'function' ? declared.proof(sent) : declared.proof;
    if (!needsProof) return sent;
    const authentication = await reauthenticate(sent.request, parts);
    return 'faults' in authentication ? authentication : { ...sent, authentication };
  }

  async function leadBack(sent: Sent<About, Fields>, { status = 400, faults }: Refusal) {
    const { request, reply, about, fields } = sent;
    const refused = {
      ...refusedForm(fields, faults, status),
      unknownPasskey: await unknownPasskey(request, parts),
    };
    const here = declared.address?.(about) ?? pathOf(request);
    const isLeft = writeFlash(reply, parts, here, { refused });
    return isLeft ? reply.redirect(here, 303) : show(sent, refused);
  }

  async function show(
    sent: Sent<About, Fields>,
    refused?: Refused<Fields>,
    isUnsent = false,
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
      hasErrors: refused !== undefined,
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
            isUnsent,
            ...(page.returnTo && returnFields(page.returnTo)),
            notice: doneOf(request, declared.done?.(messages) ?? {}),
          },
          locale,
        ),
    });
  }

  /** Whose form it is. */
  const tokenOf = (reply: FastifyReply): string => reply.request.member?.csrf ?? openFormToken(reply, parts);
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
    const { status = 400, faults } = outcome;
    writeFlash(reply, parts, page, { refused: refusedForm({}, faults, status) });
    return reply.redirect(page, 303);
  });
  area.get(url, async (request, reply) =>
    reply.redirect(page + request.url.slice(pathOf(request).length), 303),
  );
}

/** Tells of what was done, and leads on. */
async function conclude(reply: FastifyReply, parts: Parts, outcome: Answer | Done): Promise<FastifyReply> {
  if (typeof outcome !== 'object') return give(reply, outcome);
  const notice = noticeOf(reply.request, outcome);
  if (notice !== undefined) await notify(parts, notice, parts.now());
  return give(reply, outcome.to);
}

function noticeOf(request: FastifyRequest, { notice, subject }: Done): Notification | undefined {
  if (notice === undefined) return undefined;
  const { userId: account, startedAt: since } = memberOf(request);
  return { kind: notice, account, since, subject, ...fromOf(request) };
}

const give = (reply: FastifyReply, answer: Answer): FastifyReply =>
  typeof answer === 'string' ? reply.redirect(answer, 303) : answer();

const isRefusal = (outcome: Outcome | Sent<unknown, unknown>): outcome is Refusal =>
  typeof outcome === 'object' && 'faults' in outcome;
