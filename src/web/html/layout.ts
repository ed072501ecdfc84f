// Owns the document around every page: head, skip link, header, main, footer with the language switch.
import { LOCALES, type Locale, type Messages } from '../../i18n/index.ts';
import { type AccountRow, accountRows, avatar } from './account-rows.ts';
import { fontPath, logoPath, pageScriptPath, stylesheetPath } from './asset-paths.ts';
import { form, hiddenInput, submitButton } from './form.ts';
import { type House, houseLink, houseLinks, reachOperators } from './house.ts';
import { type Html, html, render } from './html.ts';
import { threshold } from './threshold.ts';

export type Layout = {
  locale: Locale;
  messages: Messages;
  title: string;
  house: House;
  main: Html;
  /** Addresses of this same page in each language. */
  languageLinks: Record<Locale, string>;
  /** The person signed in, shown in the header; behind the name, the way to sign out. */
  account?: AccountShown | undefined;
  path?: string | undefined;
  stylesheets?: readonly string[] | undefined;
  scripts?: readonly string[] | undefined;
  /** The page sends people to the operators: it ends with where those are reached. */
  reach?: boolean | undefined;
  /** Room for tables and long forms instead of one narrow column beside the door. */
  wide?: boolean | undefined;
  /** The page shows form errors: the title says so first, as screen readers read it first. */
  hasErrors?: boolean | undefined;
};

type AccountShown = {
  name: string;
  email: string;
  pictureHash: string | null;
  operator: boolean;
  /** Its session by its public name, and the token of the form that ends it; without them, a link leads to the page that asks. */
  sid?: string;
  csrf?: string;
  /** The other accounts that are signed in in this browser, and the token of the form that switches to them. */
  switching?: { csrf: string; others: readonly AccountRow[] } | undefined;
};

/** A whole HTML document, ready to send as text/html; charset=utf-8. */
export function layout(page: Layout): string {
  const { locale, messages, house } = page;
  const { serviceName } = house;
  const title = page.hasErrors ? messages.layout.titleWithErrors(page.title) : page.title;
  const document = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${serviceName}</title>
<link rel="preload" href="${fontPath}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${stylesheetPath}">
${page.stylesheets?.map(
  (address) => html`<link rel="stylesheet" href="${address}">
`,
)}<link rel="icon" href="${logoPath}" type="image/svg+xml">
<script type="module" src="${pageScriptPath}"></script>
${page.scripts?.map(
  (address) => html`<script type="module" src="${address}"></script>
`,
)}</head>
<body class="${page.wide ? 'page page--wide' : 'page'}" data-show="${messages.fields.showPassword}" data-hide="${messages.fields.hidePassword}">
<a class="skip-link" href="#main">${messages.layout.skipToContent}</a>
<header class="page-header">
<a class="brand" href="/"><img src="${logoPath}" alt="" width="32" height="32"><span>${serviceName}</span></a>
${page.account && signedIn(page.account, messages)}
${page.account && sections(page.account, page)}
</header>
<main id="main" class="page-main" tabindex="-1">
${page.main}
${page.reach && reachOperators(messages, house)}</main>
<footer class="page-footer">
${languageChoice(locale, messages, page.languageLinks)}
${houseNavigation(messages, house)}</footer>
${!page.wide && threshold}
</body>
</html>
`;
  return render(document);
}

function sections({ operator }: AccountShown, { messages, path = '' }: Layout): Html {
  const { layout: text } = messages;
  const links = [
    { href: '/account', text: text.account },
    { href: '/console/applications', text: text.applications },
    { href: '/console/apis', text: text.apis },
    ...(operator ? [{ href: '/console/operations', text: text.operations }] : []),
  ];
  return html`<nav class="sections" aria-label="${text.sections}">
<ul>
${links.map(({ href, text: words }) => {
  const here =
    (path === href || path.startsWith(`${href}/`)) &&
    html` aria-current="${path === href ? 'page' : 'true'}"`;
  return html`<li><a href="${href}"${here}>${words}</a></li>
`;
})}</ul>
</nav>`;
}

/** Who is signed in; behind it, the accounts that one press switches to, and the way out. The browser opens it, without any script. */
function signedIn(account: AccountShown, messages: Messages): Html {
  const { accounts: text } = messages;
  const { csrf = '', others = [] } = account.switching ?? {};
  return html`<div class="signed-in">
<button class="signed-in-who" type="button" popovertarget="account-menu" title="${account.email}">${avatar(account, 32)}<span class="signed-in-name">${account.name}</span></button>
</div>
<div class="account-menu" id="account-menu" popover>
<p class="account-menu-who"><strong><bdi>${account.name}</bdi></strong> <span class="quiet">${account.email}</span></p>
${
  others.length > 0 &&
  form({
    action: '/accounts',
    csrf,
    body: accountRows(
      others.map((other) => ({ ...other, active: false })),
      messages,
    ),
  })
}
<p class="account-menu-way"><a href="/signin?another=1">${text.another}</a></p>
${wayOut(account, messages)}
</div>`;
}

function wayOut({ csrf, sid }: AccountShown, { signOut }: Messages): Html {
  if (csrf === undefined)
    return html`<p class="account-menu-way"><a href="/signout">${signOut.action}</a></p>`;
  const body = html`${hiddenInput('account', sid)}${submitButton({ text: signOut.action, kind: 'way' })}`;
  return html`<div class="account-menu-way">${form({ action: '/signout', csrf, body })}</div>`;
}

function houseNavigation(messages: Messages, house: House): Html | undefined {
  const links = houseLinks(messages, house);
  if (links.length === 0) return undefined;
  return html`<nav class="house" aria-label="${messages.house.links}">
<ul>
${links.map(
  (link) => html`<li>${houseLink(link)}</li>
`,
)}</ul>
</nav>
`;
}

/** @param links URLs of the page in each language */
const languageChoice = (locale: Locale, { layout }: Messages, links: Record<Locale, string>): Html =>
  html`<nav class="languages" aria-label="${layout.languages}">
<ul>
${LOCALES.map(
  (
    language,
  ) => html`<li><a href="${links[language]}" hreflang="${language}" lang="${language}"${language === locale && html` aria-current="true"`}>${layout.languageNames[language]}</a></li>
`,
)}
</ul>
</nav>`;
