// Sending a page: layout, language, and the headers that every HTML answer has.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryOf } from '../http/parameters.ts';
import { isSafe } from '../http/request.ts';
import { pathOf } from '../http/route-config.ts';
import { LOCALES, type Locale, type Messages, messagesFor } from '../i18n/index.ts';
import { chosenLanguage, localeOf, rememberLanguage } from './browser.ts';
import { type Html, html } from './html/html.ts';
import { type Layout, layout } from './html/layout.ts';
import { PASSKEY_SCRIPTS } from './html/passkey.ts';
import type { ReturnTo } from './return-to.ts';

/** Everything a page may do: show our own styles, letters and pictures, and run our own scripts. No frame, nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
// The form of a page with a pending request ends at the application's callback, and wherever that leads:
// browsers hold form-action against every redirect on the way. It goes without.
const FORMS_STAY = "form-action 'self'";

export interface Page {
  status?: number;
  title: (messages: Messages) => string;
  main: (messages: Messages, locale: Locale) => Html;
  /** Who is signed in; whoever the request knows as the member when absent. */
  account?: (NonNullable<Layout['account']> & { locale: Locale | null }) | undefined;
  /** The language that the person chose for the account, on pages without `account`. */
  accountLocale?: Locale | null | undefined;
  /** Its words send people to the operators: it says where those are reached, too. */
  reach?: boolean;
  /** Room for tables and long forms: as a member's pages have it when absent. */
  wide?: boolean;
  stylesheets?: readonly string[];
  /** Addresses of our own modules that make the page more comfortable; it works without. */
  scripts?: readonly string[];
  /** What the browser is told of passkeys (web/html/passkey.ts), with the scripts that do. */
  signal?: Html | undefined;
  /** A script of it asks us something while it is open. */
  asks?: boolean;
  hasErrors?: boolean;
  /** On pages of the login flow, which have no account menu while they lead somewhere. */
  returnTo?: ReturnTo;
  /** The form ends at an application's callback, though no request is pending any more. */
  formsLeave?: boolean;
  /** The application's wish for a language, where no pending request says it. */
  uiLocales?: string | undefined;
  /** The token of a mail's link that the page was opened with, kept when it is opened in another language. */
  token?: string | undefined;
  /** Reports an error, which may have happened on the way to an application. */
  isError?: boolean;
}

/** Sends a page as the answer to a request. A choice of language that came with it is remembered. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { request } = reply;
  const { config } = reply.server;
  const { page: asking, next } = page.returnTo ?? {};
  const inLogin = asking !== undefined || next !== undefined;
  const account = inLogin ? undefined : 'account' in page ? page.account : request.member;
  const locale = localeOf(
    request,
    asking?.pending.request.uiLocales ?? page.uiLocales ?? queryOf(request).get('ui_locales'),
    account?.locale ?? page.accountLocale ?? request.member?.locale,
  );
  const chosen = chosenLanguage(request);
  // A plain request in production is refused in the language it asks for, and gets no cookie (D26).
  if (chosen !== undefined && (!config.production || request.protocol === 'https'))
    rememberLanguage(reply, chosen);
  const messages = messagesFor(locale);
  const document = layout({
    locale,
    messages,
    title: page.title(messages),
    house: config,
    main: html`${page.main(messages, locale)}${page.signal}`,
    languageLinks: Object.fromEntries(
      LOCALES.map((language) => [language, languageLink(request, page, language)]),
    ) as Record<Locale, string>,
    account,
    path: request.url.split('?', 1)[0] ?? '/',
    reach: page.reach ?? false,
    wide: !inLogin && (page.wide ?? request.member !== undefined),
    stylesheets: page.stylesheets ?? [],
    scripts: [...new Set([...(page.scripts ?? []), ...(page.signal ? PASSKEY_SCRIPTS : [])])],
    hasErrors: page.hasErrors ?? false,
  });
  if (!keepsOpener(page)) reply.header('cross-origin-opener-policy', 'same-origin');
  return reply
    .code(page.status ?? 200)
    .header('content-security-policy', policyOf(page))
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
    .header('x-frame-options', 'DENY')
    .header('vary', 'accept, accept-language, cookie')
    .type('text/html; charset=utf-8')
    .send(document);
}

/**
 * Whether the window may keep its opener: an application can open the sign-in in a popup, which answers it through its opener.
 * A Cross-Origin-Opener-Policy on any page on the way there would cut the two apart.
 */
const keepsOpener = ({ returnTo, formsLeave, isError }: Page): boolean =>
  returnTo?.page !== undefined ||
  formsLeave === true ||
  isError === true ||
  returnTo?.next?.startsWith('/oauth/') === true;

const policyOf = (page: Page): string =>
  [
    ...POLICY,
    ...(page.asks ? ["connect-src 'self'"] : []),
    ...(page.returnTo?.page === undefined && !page.formsLeave ? [FORMS_STAY] : []),
  ].join('; ');

/** The address of the same page in another language; a page that answers a POST is left for its GET. */
function languageLink(request: FastifyRequest, page: Page, lang: Locale): string {
  const path = pathOf(request);
  const query = new URLSearchParams(isSafe(request) ? [...queryOf(request).entries] : []);
  const { page: asking, next } = page.returnTo ?? {};
  if (asking !== undefined) query.set('pending', asking.sealed);
  if (next !== undefined) query.set('next', next);
  if (page.token !== undefined) query.set('token', page.token);
  query.set('lang', lang);
  return `${path.startsWith('//') ? '/' : path}?${query}`;
}

/** Whether the answer is for a person: only a browser names text/html (D1). */
export const wantsPage = (request: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(request.headers.accept ?? '');
