// /account/security/passkeys/…: lists, renames and deletes passkeys.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  deletePasskey,
  PASSKEY_NAME_MAX,
  passkeyName,
  renameOwnPasskey,
} from '../../credentials/passkeys.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import type { Messages } from '../../i18n/index.ts';
import { rollback } from '../../store/database.ts';
import { findPasskey, listPasskeys, type Passkey } from '../../store/passkeys.ts';
import { type FormState, hiddenInput, textField } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { ago, day } from '../../web/html/time.ts';
import { type Member, memberOf } from '../../web/member.ts';
import { NEW_PASSKEY } from '../../web/passkeys.ts';
import { withParameter } from '../../web/return-to.ts';
import { SECURITY, securityForm } from './security-form-view.ts';

const PASSKEYS = `${SECURITY}/passkeys`;

interface About extends Member {
  passkey: Passkey;
}

const actorOf = (request: FastifyRequest) => {
  const { userId, sid, idHash } = memberOf(request);
  return { userId, sid, idHash, address: addressOf(request) };
};

export function passkeyPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;
  if (relyingPartyOf(parts.config) === undefined) return;

  const about = async (request: FastifyRequest): Promise<About | Member> => {
    const member = memberOf(request);
    const id = parametersOf(request).get('passkey');
    const passkey = (await listPasskeys(database, member.userId)).find(
      ({ credentialId }) => credentialId === id,
    );
    return passkey === undefined ? member : { ...member, passkey };
  };
  const isTheirs = async (request: FastifyRequest, id: string): Promise<boolean> =>
    (await findPasskey(database, memberOf(request).userId, id)) !== undefined;
  const isGone = (found: About | Member): string | undefined => ('passkey' in found ? undefined : SECURITY);
  const passkeyOf = (found: About | Member): Passkey => {
    if (!('passkey' in found)) throw new Error('the page leads elsewhere without one');
    return found.passkey;
  };
  const addressFor = (does: 'rename' | 'remove') => (found: About | Member) =>
    withParameter(`${PASSKEYS}/${does}`, 'passkey', passkeyOf(found).credentialId);

  area.formPage({
    url: `${PASSKEYS}/rename`,
    about,
    elsewhere: isGone,
    begin: (found) => ({ name: passkeyOf(found).name }),
    read: (form) => ({ name: form.get('name') ?? '' }),
    faults: ({ fields: { name } }) =>
      passkeyName(name) === undefined
        ? [{ field: 'name', text: ({ passkeys }) => passkeys.nameWrong(PASSKEY_NAME_MAX) }]
        : [],
    proof: true,
    inTransaction: true,
    async act({ request, about: found, fields }, transaction) {
      const passkey = { credentialId: passkeyOf(found).credentialId, name: passkeyName(fields.name) ?? '' };
      const renamed = await renameOwnPasskey(transaction, actorOf(request), passkey, parts.now());
      return {
        to: `${SECURITY}?done=passkey-renamed`,
        ...(renamed && { notice: 'passkey_renamed' as const, subject: passkey.name }),
      };
    },
    address: addressFor('rename'),
    page: ({ about: found, fields: { name } }) => ({
      title: (messages) => messages.account.security.passkeys.renameTitle,
      main: (form) => renamePasskeyView({ ...form, shown: passkeyOf(found), name }),
    }),
  });

  area.formPage({
    url: `${PASSKEYS}/remove`,
    about,
    elsewhere: isGone,
    read: () => ({}),
    proof: true,
    inTransaction: true,
    async act({ request, about: found }, transaction) {
      const { credentialId, name } = passkeyOf(found);
      const removed = await deletePasskey(transaction, actorOf(request), credentialId, parts.now());
      const to = `${SECURITY}?done=passkey-removed`;
      if (removed === 'gone') return rollback(to);
      if (!removed && !memberOf(request).hasPassword && (await isTheirs(request, credentialId)))
        return { status: 409, faults: [{ text: ({ account }) => account.security.ownPassword.lastWays }] };
      return {
        to,
        ...(removed && { notice: 'passkey_removed' as const, subject: name }),
      };
    },
    address: addressFor('remove'),
    page: ({ about: found }) => ({
      title: (messages) => messages.account.security.passkeys.removeTitle(passkeyOf(found).name),
      main: (form) => removePasskeyView({ ...form, shown: passkeyOf(found) }),
    }),
  });
}

export function passkeyList(messages: Messages, passkeys: readonly Passkey[], mayAdd: boolean): Html {
  const text = messages.account.security.passkeys;
  return html`<h2>${text.title}</h2>
${passkeys.length === 0 ? html`<p class="quiet">${text.none}</p>` : html`<p>${text.lead}</p>`}
${
  passkeys.length > 0 &&
  html`<ul class="connected">
${passkeys.map(
  ({ credentialId, name, synced, createdAt, lastUsedAt }) => html`<li>
<div class="connected-who"><h3><bdi>${name}</bdi></h3></div>
<dl class="facts">
<div><dt>${text.kept}</dt><dd>${synced ? text.synced : text.bound}</dd></div>
<div><dt>${text.created}</dt><dd>${day(createdAt, messages)}</dd></div>
<div><dt>${text.lastUsed}</dt><dd>${lastUsedAt === null ? text.neverUsed : ago(lastUsedAt, messages)}</dd></div>
</dl>
<p class="actions"><a class="change" href="${SECURITY}/passkeys/rename?passkey=${credentialId}">${text.rename}<span class="unseen"> ${name}</span></a>
<a class="change" href="${SECURITY}/passkeys/remove?passkey=${credentialId}">${messages.account.security.remove}<span class="unseen"> ${name}</span></a></p>
</li>
`,
)}</ul>`
}
${mayAdd && html`<p class="actions"><a class="button button--secondary" href="${NEW_PASSKEY}"><span>${text.add}</span></a></p>`}`;
}

function renamePasskeyView(view: FormState & { shown: Passkey; name: string }): Html {
  const { messages, shown, errors } = view;
  const text = messages.account.security.passkeys;
  const name = textField({ name: 'name', label: text.name, value: view.name, errors });
  return securityForm(view, {
    title: text.renameTitle,
    below: 'passkeys/rename',
    fields: html`${hiddenInput('passkey', shown.credentialId)}${name}`,
    does: { text: text.rename },
  });
}

function removePasskeyView(view: FormState & { shown: Passkey }): Html {
  const text = view.messages.account.security.passkeys;
  return securityForm(view, {
    title: text.removeTitle(view.shown.name),
    lead: text.removeText,
    below: 'passkeys/remove',
    fields: hiddenInput('passkey', view.shown.credentialId),
    does: { text: text.removeAction, kind: 'danger' },
  });
}
