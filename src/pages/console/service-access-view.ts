// Shows the scopes and status of a client's service access to an API.
import type { Messages } from '../../i18n/index.ts';
import type { ServiceAccessRow } from '../../store/service-access.ts';
import { type Html, html } from '../../web/html/html.ts';
import { tag } from '../../web/html/tag.ts';
import { day } from '../../web/html/time.ts';

export function serviceAccessDetails(
  { scopes, requestedAt, grantedAt }: ServiceAccessRow,
  messages: Messages,
): Html {
  const text = messages.serviceAccess;
  return html`<dl class="facts">
<div><dt>${messages.applications.detail.scopes}</dt><dd>${scopes.map((scope) => html`<code class="tag">${scope}</code> `)}</dd></div>
<div><dt>${grantedAt === null ? text.askedOn : text.grantedOn}</dt><dd>${day(grantedAt ?? requestedAt, messages)}${grantedAt === null && html` ${tag(text.waiting, 'waiting')}`}</dd></div>
</dl>`;
}
