// /account/security/passkeys/…: lists, renames and deletes passkeys.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  deletePasskey,
  MAX_PASSKEY_NAME_LENGTH,
  normalizePasskeyName,
  renameOwnPasskey,
} from '../../credentials/passkeys.ts';
import { getRelyingParty } from '../../credentials/webauthn.ts';
import { readQueryOrForm } from '../../http/parameters.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import { rollback } from '../../store/database.ts';
import { findMfaFactors } from '../../store/mfa-factors.ts';
import { findPasskey, listPasskeys, type Passkey } from '../../store/passkeys.ts';
import { hiddenInput, textField } from '../../web/html/fields.ts';
import type { FormState } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { addParameter } from '../../web/return-to.ts';
import { type SignedInUser, signedInUser } from '../../web/session-guard.ts';
import { neededMethodRejection, SECURITY_URL, securityForm } from './security-form-view.ts';
import { describePasskey } from './security-view.ts';

const PASSKEYS_URL = `${SECURITY_URL}/passkeys`;

interface PasskeySubject extends SignedInUser {
  passkey: Passkey;
}

const actorOf = (request: FastifyRequest) => {
  const { userId, sid, idHash } = signedInUser(request);
  return { userId, sid, idHash, ip: clientNetwork(request) };
};

export function passkeyPages(area: FastifyInstance, services: Services): void {
  const { database } = services;
  if (getRelyingParty(services.config) === undefined) return;

  const loadSubject = async (request: FastifyRequest): Promise<PasskeySubject | SignedInUser> => {
    const user = signedInUser(request);
    const id = readQueryOrForm(request).get('passkey');
    const passkey = (await listPasskeys(database, user.userId)).find(
      ({ credentialId }) => credentialId === id,
    );
    return passkey === undefined ? user : { ...user, passkey };
  };
  const isOwned = async (request: FastifyRequest, id: string): Promise<boolean> =>
    (await findPasskey(database, signedInUser(request).userId, id)) !== undefined;
  const urlIfDeleted = (found: PasskeySubject | SignedInUser): string | undefined =>
    'passkey' in found ? undefined : SECURITY_URL;
  const passkeyOf = (found: PasskeySubject | SignedInUser): Passkey => {
    if (!('passkey' in found)) throw new Error('The passkey was not found, but the page did not redirect.');
    return found.passkey;
  };
  const passkeyUrl = (action: 'rename' | 'remove') => (found: PasskeySubject | SignedInUser) =>
    addParameter(`${PASSKEYS_URL}/${action}`, 'passkey', passkeyOf(found).credentialId);

  area.formPage({
    path: `${PASSKEYS_URL}/rename`,
    loadSubject,
    respondInstead: urlIfDeleted,
    initialFields: (found) => ({ name: passkeyOf(found).name }),
    parse: (form) => ({ name: form.get('name') ?? '' }),
    validate: ({ fields: { name } }) =>
      normalizePasskeyName(name) === undefined
        ? [{ field: 'name', text: ({ passkeys }) => passkeys.nameWrong(MAX_PASSKEY_NAME_LENGTH) }]
        : [],
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: found, fields }, transaction) {
      const passkey = {
        credentialId: passkeyOf(found).credentialId,
        name: normalizePasskeyName(fields.name) ?? '',
      };
      const renamed = await renameOwnPasskey(transaction, actorOf(request), passkey, services.now());
      return {
        to: `${SECURITY_URL}?done=passkey-renamed`,
        ...(renamed && { notice: 'passkey_renamed' as const, subject: passkey.name }),
      };
    },
    pageUrl: passkeyUrl('rename'),
    render: ({ subject: found, fields: { name } }) => ({
      title: (messages) => messages.account.security.passkeys.renameTitle,
      main: (form) => renamePasskeyView({ ...form, shown: passkeyOf(found), name }),
    }),
  });

  area.formPage({
    path: `${PASSKEYS_URL}/remove`,
    loadSubject,
    respondInstead: urlIfDeleted,
    parse: () => ({}),
    requiresReauthentication: true,
    inTransaction: true,
    async act({ request, subject: found }, transaction) {
      const { credentialId, name } = passkeyOf(found);
      const removed = await deletePasskey(transaction, actorOf(request), credentialId, services.now());
      const to = `${SECURITY_URL}?done=passkey-removed`;
      if (removed === 'notFound') return rollback(to);
      if (!removed && !signedInUser(request).hasPassword && (await isOwned(request, credentialId)))
        return neededMethodRejection(services, 'lastWays');
      return {
        to,
        ...(removed && { notice: 'passkey_removed' as const, subject: name }),
      };
    },
    pageUrl: passkeyUrl('remove'),
    async render({ subject: found }) {
      const shown = passkeyOf(found);
      const { recoveryCodes } = await findMfaFactors(database, found.userId);
      return {
        title: (messages) => messages.account.security.passkeys.removeTitle(shown.name),
        main: (form) => removePasskeyView({ ...form, shown, offersCodes: recoveryCodes === 0 }),
      };
    },
  });
}

function renamePasskeyView(view: FormState & { shown: Passkey; name: string }): Html {
  const { messages, shown, errors } = view;
  const text = messages.account.security.passkeys;
  const name = textField({ name: 'name', label: text.name, value: view.name, errors });
  return securityForm(view, {
    title: text.renameTitle,
    path: 'passkeys/rename',
    fields: html`${hiddenInput('passkey', shown.credentialId)}<p>${describePasskey(shown, messages)}</p>
${name}`,
    submit: { text: text.rename },
  });
}

function removePasskeyView(view: FormState & { shown: Passkey; offersCodes: boolean }): Html {
  const { messages, shown } = view;
  const text = messages.account.security.passkeys;
  return securityForm(view, {
    title: text.removeTitle(shown.name),
    lead: text.removeText,
    path: 'passkeys/remove',
    fields: html`${hiddenInput('passkey', shown.credentialId)}<p>${describePasskey(shown, messages)}</p>`,
    submit: { text: text.removeAction, kind: 'danger' },
    offersCodes: view.offersCodes,
  });
}
