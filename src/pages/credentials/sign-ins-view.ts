// Owns the look of the last sign-ins of an account.
import type { Messages } from '../../i18n/index.ts';
import type { SignIn } from '../../store/sign-ins.ts';
import { deviceInWords } from '../../web/html/device.ts';
import { type Html, html } from '../../web/html/html.ts';
import { wayInWords } from '../../web/html/sign-in-way.ts';
import { briefMoment } from '../../web/html/time.ts';

/** When, by what, with which browser and from where: a line each. */
export function lastSignIns(
  { signIns, hasPassword }: { signIns: readonly SignIn[]; hasPassword: boolean },
  messages: Messages,
): Html | undefined {
  const text = messages.account.security.signIns;
  if (signIns.length === 0) return undefined;
  return html`<h2>${text.title}</h2>
<p>${hasPassword ? text.lead : text.leadWithoutPassword}</p>
<dl class="facts facts--framed" id="sign-ins">
${signIns.map(
  ({
    at,
    way,
    address,
    ...device
  }) => html`<div><dt>${briefMoment(at, messages)}</dt><dd>${wayInWords(way, messages)}<br><span class="quiet">${deviceInWords(device, messages)}${address !== null && html`, ${address}`}</span></dd></div>
`,
)}</dl>`;
}
