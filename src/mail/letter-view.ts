// Owns the look of mails: tables and styles in the elements, as mail programs want them; what is dark is asked for by a stylesheet,
// which those that have no dark mode of their own may leave out.
import { type Accent, GROUNDS } from '../branding/accent.ts';
import type { HouseLink } from '../web/html/house.ts';
import { type Html, html, render } from '../web/html/html.ts';
import type { MailImage } from './logo.ts';

interface LetterList {
  heading: string;
  lines: readonly { text: string; href?: string | undefined }[];
}

/** What every letter is made of, in this order; what is absent is left out. */
export interface LetterParts {
  subject: string;
  greeting: string;
  paragraphs: readonly string[];
  facts?: readonly (readonly [label: string, value: string])[] | undefined;
  lists?: readonly LetterList[] | undefined;
  /** The one thing to do; `quiet` where most readers need not. */
  action?: { text: string; link: string; quiet?: boolean } | undefined;
  code?: { text: string; code: string } | undefined;
  closing: string;
  /** How the operators are reached, where the letter sends its reader to them. */
  reach?: { text: string; way: HouseLink } | undefined;
  footer: string;
  links: readonly HouseLink[];
}

/** The colours of tokens.css, by what they are for. */
const INK = {
  light: { ink: '#1e1b33', quiet: '#5a566e', line: '#e3dfd6' },
  dark: { ink: '#f2f0fa', quiet: '#b9b4cb', line: '#38334b' },
};

const FONT = "Figtree,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "ui-monospace,'SF Mono',Menlo,Consolas,monospace";

export function letterView(
  letter: LetterParts,
  sender: { locale: string; serviceName: string; accent: Accent; logo: MailImage | undefined },
): string {
  const { locale, serviceName, accent, logo } = sender;
  const { ink, quiet, line } = INK.light;
  const { paper, surface } = GROUNDS.light;
  const [preview = letter.subject] = letter.paragraphs;
  return render(html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${letter.subject}</title>
<style>${darkStyles(accent)}</style>
</head>
<body class="paper" style="margin:0;padding:0;background:${paper};color:${ink}">
<div aria-hidden="true" style="display:none;max-height:0;overflow:hidden">${preview}</div>
<div role="main">
<table class="paper" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${paper}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;font-family:${FONT};font-size:16px;line-height:1.55;color:${ink};text-align:left;overflow-wrap:anywhere">
<tr><td style="padding:0 4px 20px">${brand(serviceName, logo)}</td></tr>
<tr><td class="surface" style="padding:32px 28px;border:1px solid ${line};border-radius:12px;background:${surface}">
<h1 class="ink" style="margin:0 0 20px;font-size:22px;line-height:1.3;font-weight:700;color:${ink}">${letter.subject}</h1>
${[letter.greeting, ...letter.paragraphs].map(
  (text) => html`<p class="ink" style="margin:0 0 16px;color:${ink}">${text}</p>
`,
)}${factsOf(letter)}${listsOf(letter, accent)}${actionOf(letter, accent)}${codeOf(letter, accent)}<p class="quiet" style="margin:0;font-size:14px;color:${quiet}">${letter.closing}</p>
${reachOf(letter, accent)}</td></tr>
<tr><td class="quiet" style="padding:20px 4px 0;font-size:13px;color:${quiet}">
<p style="margin:0">${letter.footer}</p>
${linksOf(letter)}</td></tr>
</table>
</td></tr>
</table>
</div>
</body>
</html>
`);
}

function brand(serviceName: string, logo: MailImage | undefined): Html {
  const { ink } = INK.light;
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
${
  logo &&
  html`<td style="padding:0 12px 0 0"><img class="logo" src="cid:${logo.cid}" alt="" width="40" height="40" style="display:block;width:40px;height:40px;border:0"></td>
`
}<td class="ink" style="font-family:${FONT};font-size:18px;font-weight:700;color:${ink}">${serviceName}</td>
</tr></table>`;
}

function factsOf({ facts }: LetterParts): Html | undefined {
  if (facts === undefined) return undefined;
  const { ink, quiet } = INK.light;
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px;font-size:15px">
${facts.map(
  ([
    label,
    value,
  ]) => html`<tr><td class="quiet" valign="top" style="padding:3px 16px 3px 0;color:${quiet}">${label}</td><td class="ink" valign="top" style="padding:3px 0;color:${ink};font-weight:600">${value}</td></tr>
`,
)}</table>
`;
}

function listsOf({ lists = [] }: LetterParts, { light }: Accent): Html {
  const { ink } = INK.light;
  return html`${lists.map(
    ({
      heading,
      lines,
    }) => html`<h2 class="ink" style="margin:0 0 8px;font-size:17px;line-height:1.3;font-weight:700;color:${ink}">${heading}</h2>
<ul class="ink" style="margin:0 0 20px;padding:0 0 0 20px;font-size:15px;color:${ink}">
${lines.map(
  ({ text, href }) =>
    html`<li>${href === undefined ? text : html`<a class="way" href="${href}" rel="noopener noreferrer" style="color:${light.accent}">${text}</a>`}</li>
`,
)}</ul>
`,
  )}`;
}

/** A cell of its own: Outlook gives links no padding. */
function actionOf({ action }: LetterParts, { light }: Accent): Html | undefined {
  if (action === undefined) return undefined;
  const { text, link, quiet } = action;
  const [ground, words] = quiet ? [GROUNDS.light.surface, light.accent] : [light.accent, light.on];
  const kind = quiet ? 'button-quiet' : 'button';
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px"><tr>
<td class="${kind}" bgcolor="${ground}" style="border:1px solid ${light.accent};border-radius:10px;background:${ground}"><a class="${kind}-text" href="${link}" style="display:inline-block;padding:12px 22px;font-size:16px;font-weight:600;line-height:1.25;color:${words};text-decoration:none">${text}</a></td>
</tr></table>
`;
}

function codeOf({ code }: LetterParts, { light }: Accent): Html | undefined {
  if (code === undefined) return undefined;
  const { ink } = INK.light;
  return html`<p class="ink" style="margin:0 0 8px;color:${ink}">${code.text}</p>
<p class="wash ink" style="margin:0 0 24px;padding:14px 20px;border-radius:10px;background:${light.wash};color:${ink};font-family:${MONO};font-size:28px;line-height:1.2;font-weight:600;letter-spacing:0.25em;text-align:center">${code.code}</p>
`;
}

function reachOf({ reach }: LetterParts, { light }: Accent): Html | undefined {
  if (reach === undefined) return undefined;
  const { quiet } = INK.light;
  const { text, href } = reach.way;
  return html`<p class="quiet" style="margin:8px 0 0;font-size:14px;color:${quiet}">${reach.text} <a class="way" href="${href}" rel="noopener noreferrer" style="color:${light.accent}">${text}</a></p>
`;
}

function linksOf({ links }: LetterParts): Html | undefined {
  if (links.length === 0) return undefined;
  const { quiet } = INK.light;
  return html`<p style="margin:8px 0 0">${links.map(
    ({ text, href }, place) =>
      html`${place > 0 && ' · '}<a class="quiet" href="${href}" rel="noopener noreferrer" style="color:${quiet};white-space:nowrap">${text}</a>`,
  )}</p>
`;
}

/** Over the styles in the elements, hence !important. */
function darkStyles({ dark }: Accent): string {
  const { ink, quiet, line } = INK.dark;
  const { paper, surface } = GROUNDS.dark;
  return `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .paper { background: ${paper} !important; color: ${ink} !important; }
  .surface { background: ${surface} !important; border-color: ${line} !important; }
  .ink { color: ${ink} !important; }
  .quiet { color: ${quiet} !important; }
  .way, .button-quiet-text { color: ${dark.accent} !important; }
  .wash { background: ${dark.wash} !important; }
  .button { background: ${dark.accent} !important; border-color: ${dark.accent} !important; }
  .button-text { color: ${dark.on} !important; }
  .button-quiet { background: ${surface} !important; border-color: ${dark.accent} !important; }
}
`;
}
