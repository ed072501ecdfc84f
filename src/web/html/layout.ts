// The HTML document of every page: head, header, main content and footer.
import { LOCALES, type Locale, type Messages } from '../../i18n/index.ts';
import { type AccountRow, accountRows, avatar } from './account-rows.ts';
import { fontPath, logoPath, pageScriptPath, stylesheetPath } from './asset-paths.ts';
import { type Branding, brandingLinks, externalLink, supportNote } from './branding.ts';
import { submitButton } from './buttons.ts';
import { hiddenInput } from './fields.ts';
import { form } from './form.ts';
import { type Html, html, render } from './html.ts';
import { illustration } from './illustration.ts';

export type Layout = {
  locale: Locale;
  messages: Messages;
  title: string;
  branding: Branding;
  main: Html;
  languageLinks: Record<Locale, string>;
  account?: HeaderAccount | undefined;
  path?: string | undefined;
  stylesheets?: readonly string[] | undefined;
  scripts?: readonly string[] | undefined;
  showsSupportContact?: boolean | undefined;
  isWide?: boolean | undefined;
  /** If true, the document title begins with "Error". */
  hasErrors?: boolean | undefined;
};

type HeaderAccount = {
  name: string;
  email: string;
  pictureHash: string | null;
  isAdmin: boolean;
  /** Without `sid` and `csrf`, the menu links to the sign-out page. */
  sid?: string;
  csrf?: string;
  switching?: { csrf: string; others: readonly AccountRow[] } | undefined;
};

export function layout(page: Layout): string {
  const { locale, messages, branding } = page;
  const { serviceName } = branding;
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
  (url) => html`<link rel="stylesheet" href="${url}">
`,
)}<link rel="icon" href="${logoPath}" type="image/svg+xml">
<script type="module" src="${pageScriptPath}"></script>
${page.scripts?.map(
  (url) => html`<script type="module" src="${url}"></script>
`,
)}</head>
<body class="${page.isWide ? 'page page--wide' : 'page'}" data-show="${messages.fields.showPassword}" data-hide="${messages.fields.hidePassword}">
<a class="skip-link" href="#main">${messages.layout.skipToContent}</a>
<header class="page-header">
<a class="brand" href="/"><img src="${logoPath}" alt="" width="32" height="32"><span>${serviceName}</span></a>
${page.account && accountMenu(page.account, messages)}
${page.account && sectionNavigation(page.account, page)}
</header>
<main id="main" class="page-main" tabindex="-1">
${page.main}
${page.showsSupportContact && supportNote(messages, branding)}</main>
<footer class="page-footer">
${languageSwitch(locale, messages, page.languageLinks)}
${footerLinks(messages, branding)}</footer>
${!page.isWide && illustration}
</body>
</html>
`;
  return render(document);
}

function sectionNavigation({ isAdmin }: HeaderAccount, { messages, path = '' }: Layout): Html {
  const { layout: text } = messages;
  const link = (href: string, label: string): Html => {
    const current =
      (path === href || path.startsWith(`${href}/`)) &&
      html` aria-current="${path === href ? 'page' : 'true'}"`;
    return html`<li><a href="${href}"${current}>${label}</a></li>
`;
  };
  return html`<nav class="sections" aria-label="${text.sections}">
<ul>
${link('/account', text.account)}<li class="sections-group"><span id="developers">${text.developers}</span>
<ul aria-labelledby="developers">
${link('/console/applications', text.applications)}${link('/console/apis', text.apis)}</ul></li>
${isAdmin && link('/console/operations', text.admin)}</ul>
</nav>`;
}

function accountMenu(account: HeaderAccount, messages: Messages): Html {
  const { accounts: text } = messages;
  const { csrf = '', others = [] } = account.switching ?? {};
  return html`<div class="signed-in">
<button class="signed-in-button" type="button" popovertarget="account-menu" title="${account.email}">${avatar(account, 32)}<span class="signed-in-name">${account.name}</span></button>
</div>
<div class="account-menu" id="account-menu" popover>
<p class="account-menu-identity"><strong><bdi>${account.name}</bdi></strong> <span class="quiet">${account.email}</span></p>
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
<p class="account-menu-item"><a href="/signin?another=1">${text.another}</a></p>
${signOutItem(account, messages)}
</div>`;
}

function signOutItem({ csrf, sid }: HeaderAccount, { signOut }: Messages): Html {
  if (csrf === undefined)
    return html`<p class="account-menu-item"><a href="/signout">${signOut.action}</a></p>`;
  const body = html`${hiddenInput('account', sid)}${submitButton({ text: signOut.action, kind: 'link' })}`;
  return html`<div class="account-menu-item">${form({ action: '/signout', csrf, body })}</div>`;
}

function footerLinks(messages: Messages, branding: Branding): Html | undefined {
  const links = brandingLinks(messages, branding);
  if (links.length === 0) return undefined;
  return html`<nav class="footer-links" aria-label="${messages.serviceLinks.links}">
<ul>
${links.map(
  (link) => html`<li>${externalLink(link)}</li>
`,
)}</ul>
</nav>
`;
}

const languageSwitch = (locale: Locale, { layout }: Messages, links: Record<Locale, string>): Html =>
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
