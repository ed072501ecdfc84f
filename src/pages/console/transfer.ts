// …/transfer: offers an application or API to another account, and accepts or declines offers.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isEmail } from '../../accounts/account-fields.ts';
import { notifyInTransaction } from '../../accounts/notifications.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { normalizeEmail } from '../../oauth/email.ts';
import { notFound } from '../../oauth/errors.ts';
import { getRedirectUriHost } from '../../oauth/redirect-uri.ts';
import { acceptTransfer, cancelTransfer, declineTransfer, offerTransfer } from '../../ownership/transfers.ts';
import { emailKey } from '../../store/emails.ts';
import { findOwnOffer, findReceivedOffer, type ReceivedOffer } from '../../store/transfer-offers.ts';
import { requestContext } from '../../web/browser.ts';
import { breakable } from '../../web/html/breakable.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { hiddenInput, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { logo } from '../../web/html/pictures.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { day } from '../../web/html/time.ts';
import { mustVerifyEmail, signedInUser } from '../../web/session-guard.ts';
import {
  type ClientOrApi,
  clientOrApiUrl,
  consoleNavigation,
  editLink,
  idOf,
  kindOf,
  LIST_URLS,
  listLink,
} from './layout.ts';
import { type ConsoleSection, ownerOf, quotaError } from './sections.ts';

export function transferPages(area: FastifyInstance, services: Services, section: ConsoleSection): void {
  const { kind, listUrl, path, find } = section;
  const { config, database } = services;

  area.formPage({
    path: `${path}/transfer`,
    loadSubject: (request) => find(request, services),
    parse: (form) => ({ email: normalizeEmail(form.get('email')) }),
    validate({ request, fields: { email } }) {
      if (!isEmail(email))
        return [{ field: 'email', text: ({ applications }) => applications.problems.emailInvalid }];
      if (emailKey(email) === emailKey(signedInUser(request).email))
        return [{ field: 'email', text: ({ ownership }) => ownership.transfer.own }];
      return [];
    },
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: clientOrApi, fields: { email } }, transaction) {
      const to = { email, locale: requestContext(request).locale };
      if (
        !(await offerTransfer(
          kind,
          services,
          transaction,
          ownerOf(request),
          idOf(clientOrApi),
          to,
          services.now(),
        ))
      )
        throw notFound();
      const notice = `${kind}_transfer_offered` as const;
      return { to: `${clientOrApiUrl(clientOrApi)}?done=offered`, notice, subject: clientOrApi.name };
    },
    async render({ request, subject: clientOrApi, fields: { email } }) {
      const offer = await findOwnOffer(
        database,
        signedInUser(request).userId,
        idOf(clientOrApi),
        services.now(),
      );
      return {
        title: ({ ownership }) => ownership.transfer.title(clientOrApi.name),
        main: (form) => offerView({ ...form, clientOrApi, offer, email }),
      };
    },
  });

  area.embeddedForm({
    path: `${path}/transfer/cancel`,
    page: listUrl,
    async act(request) {
      const clientOrApi = await find(request, services);
      await cancelTransfer(kind, database, ownerOf(request), idOf(clientOrApi), services.now());
      return `${clientOrApiUrl(clientOrApi)}?done=offer-canceled`;
    },
  });

  area.formPage({
    path: `${path}/transfer/accept`,
    loadSubject: requireReceivedOffer,
    // Anyone can sign up with any email address. Only a verified address proves that the user is the
    // recipient.
    requiresVerifiedEmail: true,
    parse: (form) => ({ urls: form.get('urls') ?? '' }),
    requiresReauthentication: true,
    deletesSubject: true,
    async act({ request, subject: about, fields: { urls } }, transaction) {
      const { id, ownerId: account, name: subject, offeredAt: since } = about;
      const [owner, seen] = [ownerOf(request), { id, urls }];
      const limit = config.registrationsPerAccount;
      const outcome = await acceptTransfer(kind, transaction, owner, seen, limit, services.now());
      if (outcome === 'changed')
        return { status: 409, errors: [{ text: ({ ownership }) => ownership.transfer.changed }] };
      if (outcome === 'tooMany') return quotaError(section, config);
      if (outcome === 'notFound') return `${listUrl}?done=notFound`;
      const formerOwnerNotice = { kind: `${kind}_transferred`, account, since, subject } as const;
      await notifyInTransaction(services, transaction, formerOwnerNotice, services.now());
      return { to: `${listUrl}/${id}?done=accepted`, notice: `${kind}_received`, subject };
    },
    render: ({ subject: offer }) => ({
      title: ({ ownership }) => ownership.transfer.acceptTitle(offer.name),
      main: (form) => acceptOfferView({ ...form, offer }),
    }),
  });

  area.embeddedForm({
    path: `${path}/transfer/decline`,
    page: listUrl,
    async act(request) {
      if (mustVerifyEmail(config, signedInUser(request))) throw notFound();
      await declineTransfer(kind, database, ownerOf(request), section.idOf(request), services.now());
      return `${listUrl}?done=declined`;
    },
  });

  async function requireReceivedOffer(request: FastifyRequest): Promise<ReceivedOffer> {
    const user = signedInUser(request);
    if (mustVerifyEmail(config, user)) throw notFound();
    const offer = await findReceivedOffer(database, user.userId, section.idOf(request), services.now());
    if (offer === undefined) throw notFound();
    return offer;
  }
}

type Offer = { email: string; expiresAt: Date };

type OfferView = FormState & { clientOrApi: ClientOrApi; offer: Offer | undefined; email: string };

function offerView(view: OfferView): Html {
  const { messages, csrf, clientOrApi, offer, email, errors } = view;
  const text = messages.ownership.transfer;
  return html`${consoleNavigation(messages, clientOrApi, { below: 'edit' })}
${formStatus(view)}
<h1>${text.title(clientOrApi.name)}</h1>
<p class="lead">${text.lead}</p>
${offer && pendingOfferView(view, offer)}
${form({
  action: clientOrApiUrl(clientOrApi, 'transfer'),
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
${reauthenticationFields(view)}
${offer && html`<p class="quiet">${text.replace}</p>`}
${submitButton({ text: text.action })}`,
})}`;
}

function pendingOfferView({ messages, csrf, clientOrApi }: OfferView, offer: Offer): Html {
  const text = messages.ownership.transfer;
  return html`<h2>${text.pending}</h2>
<dl class="facts facts--framed">
<div><dt>${text.pendingTo}</dt><dd>${breakable(offer.email)}</dd></div>
<div><dt>${text.until}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
${form({
  action: clientOrApiUrl(clientOrApi, 'transfer/cancel'),
  csrf,
  body: submitButton({ text: text.cancel, kind: 'secondary' }),
})}`;
}

function acceptOfferView(view: FormState & { offer: ReceivedOffer }): Html {
  const { messages, csrf, offer } = view;
  const text = messages.ownership.transfer;
  const { kind, id } = offer;
  return html`${listLink(messages, kind)}
${formStatus(view)}
<h1>${text.acceptTitle(offer.name)}</h1>
<dl class="facts facts--framed facts--application">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> <br>${breakable(offer.ownerEmail)}</dd></div>
<div><dt>${text.until}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
${
  offer.urls.length > 0 &&
  html`<div><dt>${text.urls[kind]}</dt><dd><ul class="lines">${offer.urls.map(
    (url) => html`<li><code class="whole">${breakable(url)}</code></li>
`,
  )}</ul></dd></div>`
}
<div><dt>${text.stays}</dt><dd>${lineList(text.staying[kind])}</dd></div>
<div><dt>${text.ends}</dt><dd>${lineList(text.ending[kind])}</dd></div>
</dl>
${offer.isPublic ? html`<p class="warning">${text.isPublic}</p>` : html`<p>${text.afterwards[kind]}</p>`}
${form({
  action: `${LIST_URLS[kind]}/${id}/transfer/accept`,
  csrf,
  body: html`${hiddenInput('urls', offer.urls.join(' '))}${reauthenticationFields(view)}
<p class="actions">
${submitButton({ text: text.accept })}
${submitButton({ text: text.decline, kind: 'secondary', form: 'decline' })}
</p>`,
})}
${form({ id: 'decline', action: declineUrl(offer), csrf, body: html`` })}`;
}

const lineList = (texts: readonly string[]): Html =>
  html`<ul class="lines">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

const declineUrl = ({ kind, id }: ReceivedOffer): string => `${LIST_URLS[kind]}/${id}/transfer/decline`;

export function receivedOffersView(messages: Messages, csrf: string, offers: readonly ReceivedOffer[]): Html {
  const text = messages.ownership.transfer;
  return html`<h2>${text.received}</h2>
<ul class="cards">
${offers.map(
  (offer) => html`<li class="card">
<div class="card-head">
${offer.kind === 'application' && logo({ ...offer, clientId: offer.id }, 36)}
<div class="card-title">
<h3><bdi>${offer.name}</bdi></h3>
<p class="quiet host">${breakable(offer.kind === 'api' ? offer.urls.join(', ') : formatHosts(offer.urls))}</p>
</div>
</div>
<dl class="facts facts--card">
<div><dt>${text.from}</dt><dd><bdi>${offer.ownerName}</bdi> <br>${breakable(offer.ownerEmail)}</dd></div>
<div><dt>${text.until}</dt><dd>${day(offer.expiresAt, messages)}</dd></div>
</dl>
<div class="actions">
<a class="button button--primary" href="${LIST_URLS[offer.kind]}/${offer.id}/transfer/accept"><span>${text.see}<span class="visually-hidden"> ${offer.name}</span></span></a>
${form({
  action: declineUrl(offer),
  csrf,
  body: submitButton({ text: text.decline, kind: 'secondary', hiddenText: offer.name }),
})}
</div>
</li>
`,
)}</ul>`;
}

/** The pages show applications' hosts because their names aren't unique. */
const formatHosts = (redirectUris: readonly string[]): string =>
  [...new Set(redirectUris.map(getRedirectUriHost))].join(', ');

/** While there is an offer, `pendingOfferRow` links to it. */
export const ownershipLinks = (messages: Messages, clientOrApi: ClientOrApi, isOffered = false): Html =>
  html`<p class="actions">
${!isOffered && html`<a class="edit-link" href="${clientOrApiUrl(clientOrApi, 'transfer')}">${messages.ownership.transfer.toAnother}</a>`}
<a class="edit-link edit-link--danger" href="${clientOrApiUrl(clientOrApi, 'delete')}">${messages[`${kindOf(clientOrApi)}s`].detail.delete}</a>
</p>`;

export function pendingOfferRow(
  messages: Messages,
  clientOrApi: ClientOrApi,
  email: string | undefined,
): Html | false {
  const { transfer } = messages.ownership;
  return (
    email !== undefined &&
    html`<div><dt>${transfer.state}</dt><dd class="row"><span>${transfer.offered(email)}</span>${editLink(clientOrApiUrl(clientOrApi, 'transfer'), messages.applications.detail.see, transfer.pending)}</dd></div>`
  );
}
