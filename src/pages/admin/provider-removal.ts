// …/providers/:providerId/remove: removes an identity provider and unlinks its users.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { removeProvider } from '../../providers/settings.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { hiddenInput, textField } from '../../web/html/fields.ts';
import { form, formStatus } from '../../web/html/form.ts';
import { html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { moderatorOf, parseReason, reasonField, validateReason } from './actions.ts';
import { adminNavigation, PROVIDERS_URL, providerUrl } from './layout.ts';
import { loadProvider } from './provider-detail.ts';
import { dependentAccountsWarning, providerSummary } from './providers-view.ts';

export function providerRemovalPage(
  area: FastifyInstance,
  services: Pick<Services, 'config' | 'database' | 'sealer' | 'now'>,
): void {
  area.formPage({
    path: `${PROVIDERS_URL}/:providerId/remove`,
    loadSubject: (request) => loadProvider(request, services),
    parse: (form) => ({
      links: form.get('links') ?? '',
      id: form.get('id')?.trim() ?? '',
      reason: parseReason(form),
    }),
    validate: ({ subject: { providerId, links }, fields }) => [
      ...(links > 0 && fields.id !== providerId ? [wrongIdError] : []),
      ...(fields.links !== String(links) ? [linkCountChangedError(links)] : []),
      ...validateReason(fields.reason),
    ],
    requiresReauthentication: true,
    deletesSubject: true,
    async act({ request, subject: { providerId, links }, fields: { reason } }, transaction) {
      const by = moderatorOf(request, reason);
      const outcome = await removeProvider(transaction, providerId, links, by, services.now());
      if (outcome === 'notAdmin' || outcome === 'notFound') throw notFound();
      if (typeof outcome === 'object') return { status: 409, errors: [linkCountChangedError(outcome.links)] };
      return `${PROVIDERS_URL}?done=remove`;
    },
    render: ({ subject: provider, fields }) => ({
      title: ({ operations, identityProviders }) =>
        operations.actionOn(identityProviders.remove, provider.name),
      main(state) {
        const { messages } = state;
        const { identityProviders: text, operations } = messages;
        return html`${adminNavigation(messages, 'providers', { within: true })}
${formStatus(state)}
<h1>${operations.actionOn(text.remove, provider.name)}</h1>
<p class="lead">${text.removeText(provider.links)}</p>
<dl class="facts facts--framed facts--roomy">
${providerSummary(provider, messages)}
</dl>
${dependentAccountsWarning(provider, messages)}
${form({
  action: providerUrl(provider.providerId, 'remove'),
  csrf: state.csrf,
  body: html`${hiddenInput('links', String(provider.links))}${
    provider.links > 0 &&
    textField({
      name: 'id',
      label: text.typeId,
      hint: html`${operations.typeHint} <code>${provider.providerId}</code>`,
      value: fields.id,
      autocomplete: 'off',
      errors: state.errors,
    })
  }
${reasonField(state, fields.reason)}
${reauthenticationFields(state)}
<p class="actions">
${submitButton({ text: text.remove, kind: 'danger' })}
${buttonLink({ text: operations.cancel, href: providerUrl(provider.providerId), kind: 'secondary' })}
</p>`,
})}`;
      },
    }),
  });
}

const wrongIdError: ValidationError = {
  field: 'id',
  text: ({ identityProviders }) => identityProviders.idDiffers,
};

const linkCountChangedError = (links: number): ValidationError => ({
  text: ({ identityProviders }) => identityProviders.linksDiffer(links),
});
