// …/transfer of an application or an API: offering it to another account, and accepting what others offer.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { notifyWithin } from '../../accounts/notifications.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { readEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import { callbackHost } from '../../oauth/redirect-uri.ts';
import { acceptTransfer, cancelTransfer, declineTransfer, offerTransfer } from '../../ownership/transfers.ts';
import { emailKey } from '../../store/emails.ts';
import { findOwnOffer, findReceivedOffer, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { fromOf } from '../../web/browser.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { day } from '../../web/html/time.ts';
import { memberOf, mustVerifyEmail } from '../../web/member.ts';
import { idOf, kindOf, LISTS, type Thing, thingAddress, way, wayToList } from './frame-view.ts';
import { ownerOf, quotaReached, type Section } from './sections.ts';

export function transferPages(area: FastifyInstance, parts: Parts, section: Section): void {
  const { kind, list, url, find } = section;
  const { config, database } = parts;

  area.formPage({
    url: `${url}/transfer`,
    about: (request) => find(request, parts),
    read: (form) => ({ email: readEmail(form.get('email')) }),
    faults({ request, fields: { email } }) {
      if (!isEmail(email))
        return [{ field: 'email', text: ({ applications }) => applications.problems.emailInvalid }];
      if (emailKey(email) === emailKey(memberOf(request).email))
        return [{ field: 'email', text: ({ ownership }) => ownership.transfer.own }];
      return [];
    },
    proof: true,
    inTransaction: true,
    async act({ request, about: thing, fields: { email } }, transaction) {
      const to = { email, locale: fromOf(request).locale };
      if (!(await offerTransfer(kind, parts, transaction, ownerOf(request), idOf(thing), to, parts.now())))
        throw notFound();
      const notice = `${kind}_transfer_offered` as const;
      return { to: `${thingAddress(thing)}?done=offered`, notice, subject: thing.name };
    },
    async page({ request, about: thing, fields: { email } }) {
      const offer = await findOwnOffer(database, memberOf(request).userId, idOf(thing), parts.now());
      return {
        title: ({ ownership }) => ownership.transfer.title(thing.name),
        main: (form) => offerView({ ...form, thing, offer, email }),
      };
    },
  });

  area.formWithin({
    url: `${url}/transfer/cancel`,
    page: list,
    async act(request) {
      const thing = await find(request, parts);
      await cancelTransfer(kind, database, ownerOf(request), idOf(thing), parts.now());
      return `${thingAddress(thing)}?done=offer-cancelled`;
    },
  });

  area.formPage({
    url: `${url}/transfer/accept`,
    about: receivedOffer,
    // Anybody can sign up with the address that it was offered to.
    verifiedEmail: true,
    read: (form) => ({ urls: form.get('urls') ?? '' }),
    proof: true,
    deletes: true,
    async act({ request, about, fields: { urls } }, transaction) {
      const { id, ownerId: account, name: subject, offeredAt: since } = about;
      const [owner, seen] = [ownerOf(request), { id, urls }];
      const limit = config.registrationsPerAccount;
      const outcome = await acceptTransfer(kind, transaction, owner, seen, limit, parts.now());
      if (outcome === 'changed')
        return { status: 409, faults: [{ text: ({ ownership }) => ownership.transfer.changed }] };
      if (outcome === 'tooMany') return quotaReached(section, config);
      if (outcome === 'gone') return `${list}?done=gone`;
      const former = { kind: `${kind}_transferred`, account, since, subject } as const;
      await notifyWithin(parts, transaction, former, parts.now());
      return { to: `${list}/${id}?done=accepted`, notice: `${kind}_received`, subject };
    },
    page: ({ about: offer }) => ({
      title: ({ ownership }) => ownership.transfer.acceptTitle(offer.name),
      main: (form) => acceptView({ ...form, offer }),
    }),
  });

  area.formWithin({
    url: `${url}/transfer/decline`,
    page: list,
    async act(request) {
      if (mustVerifyEmail(config, memberOf(request))) throw notFound();
      await declineTransfer(kind, database, ownerOf(request), section.idOf(request), parts.now());
      return `${list}?done=declined`;
    },
  });

  /** @throws OAuthError `not_found` if it isn't on offer to the user */
  async function receivedOffer(request: FastifyRequest): Promise<ReceivedOffer> {
    const member = memberOf(request);
    if (mustVerifyEmail(config, member)) throw notFound();
    const offer = await findReceivedOffer(database, member.userId, section.idOf(request), parts.now());
    if (offer === undefined) throw notFound();
    return offer;
  }
}

type Offer = { email: string; expiresAt: Date };

type OfferView = FormState & { thing: Thing; offer: Offer | undefined; email: string };

function offerView(view: OfferView): Html {
  const { messages, csrf, thing, offer, email, errors } = view;
  const text = messages.ownership.transfer;
  return html`${way(messages, thing, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(thing.name)}</h1>
<p class="lead">${text.lead}</p>
${offer && pending(view, offer)}
${form({
  action: thingAddress(thing, 'transfer'),
  csrf,
  body: html`${textField({
    name: 'email',
    label: text.email,
    hint: text.emailHint,
    type: 'email',
    inputmode: 'email',
    value: email,
    autocomplete: 'off',
    errors,
  })}
${confirmationField(view)}
${offer && html`<p class="quiet">${text.replace}</p>`}
${submitButton({ text: text.action })}`,
})}`;
}

function pending({ messages, csrf, thing }: OfferView, offer: Offer): Html {
  const text = messages.ownership.transfer;
  return html`<h2>${text.pending}</h2>
<dl class="facts facts--framed">
<div><dt>${text.pendingTo}</dt><dd>${offer.email}</dd></div>
<div><dt>${text.until}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
${form({
  action: thingAddress(thing, 'transfer/cancel'),
  csrf,
  body: submitButton({ text: text.cancel, kind: 'secondary' }),
})}`;
}

function acceptView(view: FormState & { offer: ReceivedOffer }): Html {
  const { messages, csrf, offer } = view;
  const text = messages.ownership.transfer;
  const { kind, id } = offer;
  return html`${wayToList(messages, kind)}
${formStatus(view)}
<h1>${text.acceptTitle(offer.name)}</h1>
<dl class="facts facts--framed facts--application">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> (${offer.ownerEmail})</dd></div>
<div><dt>${text.until}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
<div><dt>${text.urls[kind]}</dt><dd><ul class="lines">${offer.urls.map(
    (url) => html`<li><code class="whole">${url}</code></li>
`,
  )}</ul></dd></div>
</dl>
<p>${text.stays[kind]}</p>
${offer.isPublic && html`<p class="warning">${text.isPublic}</p>`}
<p>${text.ends[kind]}</p>
${form({
  action: `${LISTS[kind]}/${id}/transfer/accept`,
  csrf,
  body: html`${hiddenInput('urls', offer.urls.join(' '))}${confirmationField(view)}
${submitButton({ text: text.accept })}`,
})}
${declineForm(messages, csrf, offer)}`;
}

const declineForm = (messages: Messages, csrf: string, { kind, id, name }: ReceivedOffer): Html => {
  const { decline } = messages.ownership.transfer;
  return form({
    action: `${LISTS[kind]}/${id}/transfer/decline`,
    csrf,
    body: submitButton({ text: decline, kind: 'secondary', unseen: name }),
  });
};

/** What others offer to the user, in the list of the user's own. */
export function receivedOffers(messages: Messages, csrf: string, offers: readonly ReceivedOffer[]): Html {
  const text = messages.ownership.transfer;
  return html`<h2>${text.received}</h2>
<ul class="cards">
${offers.map(
  (offer) => html`<li class="card">
<div class="card-title">
<h3><bdi>${offer.name}</bdi></h3>
<p class="quiet host">${offer.kind === 'api' ? offer.urls : hostsOf(offer.urls)}</p>
</div>
<dl class="facts facts--card">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> (${offer.ownerEmail})</dd></div>
<div><dt>${text.until}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
<div class="actions">
<a class="button button--primary" href="${LISTS[offer.kind]}/${offer.id}/transfer/accept"><span>${text.see}<span class="unseen"> ${offer.name}</span></span></a>
${declineForm(messages, csrf, offer)}
</div>
</li>
`,
)}</ul>`;
}

/** The hosts of redirect URIs, because names may be alike. */
export const hostsOf = (redirectUris: readonly string[]): string =>
  [...new Set(redirectUris.map(callbackHost))].join(', ');

/** The end of the page of an application or an API: the links to transfer and to delete it. */
export function further(messages: Messages, thing: Thing): Html {
  const { transfer } = messages.ownership;
  const { detail } = messages[`${kindOf(thing)}s`];
  return html`<h2>${transfer.further}</h2>
<p class="actions">
${buttonLink({ text: transfer.toAnother, href: thingAddress(thing, 'transfer'), kind: 'secondary' })}
${buttonLink({ text: detail.delete, href: thingAddress(thing, 'delete'), kind: 'danger' })}
</p>`;
}

/** The fact that it is on offer, with a link to the offer. */
export function offeredFact(messages: Messages, thing: Thing, email: string | undefined): Html | false {
  const { transfer } = messages.ownership;
  return (
    email !== undefined &&
    html`<div><dt>${transfer.state}</dt><dd class="row"><span>${transfer.offered(email)}</span><a class="change" href="${thingAddress(thing, 'transfer')}">${messages.applications.detail.see}<span class="unseen"> ${transfer.pending}</span></a></dd></div>`
  );
}
