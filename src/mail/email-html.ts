// HTML layout of emails. Uses tables, inline styles, and a style sheet for dark mode.
import { type Accent, BACKGROUNDS } from '../branding/accent.ts';
import type { BrandingLink } from '../web/html/branding.ts';
import { type Html, html, render } from '../web/html/html.ts';
import type { EmailImage } from './logo.ts';

interface EmailList {
  heading: string;
  lines: readonly { text: string; href?: string | undefined }[];
}

export interface EmailParts {
  subject: string;
  greeting: string;
  paragraphs: readonly string[];
  details?: readonly (readonly [label: string, value: string])[] | undefined;
  lists?: readonly EmailList[] | undefined;
  /** `quiet` is for actions that few recipients need. */
  action?: { text: string; link: string; quiet?: boolean } | undefined;
  code?: { text: string; code: string } | undefined;
  closing: string;
  support?: { label: string; link: BrandingLink } | undefined;
  footer: string;
  links: readonly BrandingLink[];
}

/** Copied from tokens.css. */
const TEXT_COLORS = {
  light: { ink: '#1e1b33', quiet: '#5a566e', line: '#e3dfd6' },
  dark: { ink: '#f2f0fa', quiet: '#b9b4cb', line: '#38334b' },
};

const FONT = "Figtree,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "ui-monospace,'SF Mono',Menlo,Consolas,monospace";

export function renderHtml(
  email: EmailParts,
  sender: { locale: string; serviceName: string; accent: Accent; logo: EmailImage | undefined },
): string {
  const { locale, serviceName, accent, logo } = sender;
  const { ink, quiet, line } = TEXT_COLORS.light;
  const { paper, surface } = BACKGROUNDS.light;
  const [preview = email.subject] = email.paragraphs;
  return render(html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${email.subject}</title>
<style>${renderDarkStyles(accent)}</style>
</head>
<body class="paper" style="margin:0;padding:0;background:${paper};color:${ink}">
<div aria-hidden="true" style="display:none;max-height:0;overflow:hidden">${preview}</div>
<div role="main">
<table class="paper" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${paper}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;font-family:${FONT};font-size:16px;line-height:1.55;color:${ink};text-align:left;overflow-wrap:anywhere">
<tr><td style="padding:0 4px 20px">${renderBrand(serviceName, logo)}</td></tr>
<tr><td class="surface" style="padding:32px 28px;border:1px solid ${line};border-radius:12px;background:${surface}">
<h1 class="ink" style="margin:0 0 20px;font-size:22px;line-height:1.3;font-weight:700;color:${ink}">${email.subject}</h1>
${[email.greeting, ...email.paragraphs].map(
  (text) => html`<p class="ink" style="margin:0 0 16px;color:${ink}">${text}</p>
`,
)}${renderDetails(email)}${renderLists(email, accent)}${renderButton(email, accent)}${renderCode(email, accent)}<p class="quiet" style="margin:0;font-size:14px;color:${quiet}">${email.closing}</p>
${renderSupport(email, accent)}</td></tr>
<tr><td class="quiet" style="padding:20px 4px 0;font-size:13px;color:${quiet}">
<p style="margin:0">${email.footer}</p>
${renderLinks(email)}</td></tr>
</table>
</td></tr>
</table>
</div>
</body>
</html>
`);
}

function renderBrand(serviceName: string, logo: EmailImage | undefined): Html {
  const { ink } = TEXT_COLORS.light;
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
${
  logo &&
  html`<td style="padding:0 12px 0 0"><img class="logo" src="cid:${logo.cid}" alt="" width="40" height="40" style="display:block;width:40px;height:40px;border:0"></td>
`
}<td class="ink" style="font-family:${FONT};font-size:18px;font-weight:700;color:${ink}">${serviceName}</td>
</tr></table>`;
}

function renderDetails({ details }: EmailParts): Html | undefined {
  if (details === undefined) return undefined;
  const { ink, quiet } = TEXT_COLORS.light;
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px;font-size:15px">
${details.map(
  ([
    label,
    value,
  ]) => html`<tr><td class="quiet" valign="top" style="padding:3px 16px 3px 0;color:${quiet}">${label}</td><td class="ink" valign="top" style="padding:3px 0;color:${ink};font-weight:600">${value}</td></tr>
`,
)}</table>
`;
}

function renderLists({ lists = [] }: EmailParts, { light }: Accent): Html {
  const { ink } = TEXT_COLORS.light;
  return html`${lists.map(
    ({
      heading,
      lines,
    }) => html`<h2 class="ink" style="margin:0 0 8px;font-size:17px;line-height:1.3;font-weight:700;color:${ink}">${heading}</h2>
<ul class="ink" style="margin:0 0 20px;padding:0 0 0 20px;font-size:15px;color:${ink}">
${lines.map(
  ({ text, href }) =>
    html`<li>${href === undefined ? text : html`<a class="link" href="${href}" rel="noopener noreferrer" style="color:${light.accent}">${text}</a>`}</li>
`,
)}</ul>
`,
  )}`;
}

/** The button is a table cell because Outlook ignores padding on links. */
function renderButton({ action }: EmailParts, { light }: Accent): Html | undefined {
  if (action === undefined) return undefined;
  const { text, link, quiet } = action;
  const [background, color] = quiet ? [BACKGROUNDS.light.surface, light.accent] : [light.accent, light.on];
  const kind = quiet ? 'button-quiet' : 'button';
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px"><tr>
<td class="${kind}" bgcolor="${background}" style="border:1px solid ${light.accent};border-radius:10px;background:${background}"><a class="${kind}-text" href="${link}" style="display:inline-block;padding:12px 22px;font-size:16px;font-weight:600;line-height:1.25;color:${color};text-decoration:none">${text}</a></td>
</tr></table>
`;
}

function renderCode({ code }: EmailParts, { light }: Accent): Html | undefined {
  if (code === undefined) return undefined;
  const { ink } = TEXT_COLORS.light;
  return html`<p class="ink" style="margin:0 0 8px;color:${ink}">${code.text}</p>
<p class="wash ink" style="margin:0 0 24px;padding:14px 20px;border-radius:10px;background:${light.wash};color:${ink};font-family:${MONO};font-size:28px;line-height:1.2;font-weight:600;letter-spacing:0.25em;text-align:center">${code.code}</p>
`;
}

function renderSupport({ support }: EmailParts, { light }: Accent): Html | undefined {
  if (support === undefined) return undefined;
  const { quiet } = TEXT_COLORS.light;
  const { text, href } = support.link;
  return html`<p class="quiet" style="margin:8px 0 0;font-size:14px;color:${quiet}">${support.label} <a class="link" href="${href}" rel="noopener noreferrer" style="color:${light.accent}">${text}</a></p>
`;
}

function renderLinks({ links }: EmailParts): Html | undefined {
  if (links.length === 0) return undefined;
  const { quiet } = TEXT_COLORS.light;
  return html`<p style="margin:8px 0 0">${links.map(
    ({ text, href }, index) =>
      html`${index > 0 && ' · '}<a class="quiet" href="${href}" rel="noopener noreferrer" style="color:${quiet};white-space:nowrap">${text}</a>`,
  )}</p>
`;
}

/** `!important` overrides the inline styles. */
function renderDarkStyles({ dark }: Accent): string {
  const { ink, quiet, line } = TEXT_COLORS.dark;
  const { paper, surface } = BACKGROUNDS.dark;
  return `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .paper { background: ${paper} !important; color: ${ink} !important; }
  .surface { background: ${surface} !important; border-color: ${line} !important; }
  .ink { color: ${ink} !important; }
  .quiet { color: ${quiet} !important; }
  .link, .button-quiet-text { color: ${dark.accent} !important; }
  .wash { background: ${dark.wash} !important; }
  .button { background: ${dark.accent} !important; border-color: ${dark.accent} !important; }
  .button-text { color: ${dark.on} !important; }
  .button-quiet { background: ${surface} !important; border-color: ${dark.accent} !important; }
}
`;
}
