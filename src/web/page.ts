// Sends HTML pages with layout, language and security headers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readQuery } from '../http/parameters.ts';
import { isSafeMethod } from '../http/request.ts';
import { pathOf } from '../http/route-config.ts';
import { LOCALES, type Locale, type Messages, messagesFor } from '../i18n/index.ts';
import { localeOf, requestedLocale, saveLocale } from './browser.ts';
import { type Html, html } from './html/html.ts';
import { type Layout, layout } from './html/layout.ts';
import { PASSKEY_SCRIPTS } from './html/passkey.ts';
import type { ReturnTo } from './return-to.ts';

const CSP_DIRECTIVES = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
// Omitted for pending requests because browsers also apply `form-action` to redirects to the client.
const FORM_ACTION_SELF = "form-action 'self'";

export interface PageScripts {
  /** Pages must also work without scripts. */
  scripts?: readonly string[];
  /** Allows the page's scripts to send requests to this service. */
  usesFetch?: boolean;
}

export interface Page extends PageScripts {
  status?: number;
  title: (messages: Messages) => string;
  main: (messages: Messages, locale: Locale) => Html;
  /** Defaults to the signed-in user. */
  account?: (NonNullable<Layout['account']> & { locale: Locale | null }) | undefined;
  accountLocale?: Locale | null | undefined;
  showsSupportContact?: boolean;
  /** Defaults to true for signed-in users. */
  isWide?: boolean;
  stylesheets?: readonly string[];
  /** If set, the page also loads the passkey scripts. */
  passkeySignal?: Html | undefined;
  hasErrors?: boolean;
  returnTo?: ReturnTo;
  /** Whether a form posts to a redirect URI. Only for pages without a pending request. */
  postsToClient?: boolean;
  /** The client's `ui_locales`, for pages without a pending request. */
  uiLocales?: string | undefined;
  /** The emailed link's token, which the language links include. */
  token?: string | undefined;
  isError?: boolean;
}

/** Also saves the language if the user selected one. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { request } = reply;
  const { config } = reply.server;
  const { page: pending, next } = page.returnTo ?? {};
  const isLoginFlow = pending !== undefined || next !== undefined;
  const account = isLoginFlow ? undefined : 'account' in page ? page.account : request.user;
  const locale = localeOf(
    request,
    pending?.pending.request.uiLocales ?? page.uiLocales ?? readQuery(request).get('ui_locales'),
    account?.locale ?? page.accountLocale ?? request.user?.locale,
  );
  const chosen = requestedLocale(request);
  // In production, an error page over plain HTTP must not set a cookie.
  if (chosen !== undefined && (!config.production || request.protocol === 'https')) saveLocale(reply, chosen);
  const messages = messagesFor(locale);
  const document = layout({
    locale,
    messages,
    title: page.title(messages),
    branding: config,
    main: html`${page.main(messages, locale)}${page.passkeySignal}`,
    languageLinks: Object.fromEntries(
      LOCALES.map((language) => [language, languageLink(request, page, language)]),
    ) as Record<Locale, string>,
    account,
    path: request.url.split('?', 1)[0] ?? '/',
    showsSupportContact: page.showsSupportContact ?? false,
    isWide: !isLoginFlow && (page.isWide ?? request.user !== undefined),
    stylesheets: page.stylesheets ?? [],
    scripts: [...new Set([...(page.scripts ?? []), ...(page.passkeySignal ? PASSKEY_SCRIPTS : [])])],
    hasErrors: page.hasErrors ?? false,
  });
  if (!keepsOpener(page)) reply.header('cross-origin-opener-policy', 'same-origin');
  return reply
    .code(page.status ?? 200)
    .header('content-security-policy', cspOf(page))
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
    .header('x-frame-options', 'DENY')
    .header('vary', 'accept, accept-language, cookie')
    .type('text/html; charset=utf-8')
    .send(document);
}

/** Whether to omit Cross-Origin-Opener-Policy. With this header, a client's login popup would lose its opener. */
const keepsOpener = ({ returnTo, postsToClient, isError }: Page): boolean =>
  returnTo?.page !== undefined ||
  postsToClient === true ||
  isError === true ||
  returnTo?.next?.startsWith('/oauth/') === true;

const cspOf = (page: Page): string =>
  [
    ...CSP_DIRECTIVES,
    ...(page.usesFetch ? ["connect-src 'self'"] : []),
    ...(page.returnTo?.page === undefined && !page.postsToClient ? [FORM_ACTION_SELF] : []),
  ].join('; ');

/** After a POST, the URL omits the query. */
function languageLink(request: FastifyRequest, page: Page, lang: Locale): string {
  const path = pathOf(request);
  const query = new URLSearchParams(isSafeMethod(request) ? [...readQuery(request).entries] : []);
  const { page: pending, next } = page.returnTo ?? {};
  if (pending !== undefined) query.set('pending', pending.sealed);
  if (next !== undefined) query.set('next', next);
  if (page.token !== undefined) query.set('token', page.token);
  query.set('lang', lang);
  return `${path.startsWith('//') ? '/' : path}?${query}`;
}

/** Whether the request accepts text/html, which only browsers do. */
export const acceptsHtml = (request: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(request.headers.accept ?? '');
