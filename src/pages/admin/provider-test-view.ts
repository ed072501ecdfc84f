// View of a provider test: each step, the remedy for a failure, and the received profile.

import type { Messages } from '../../i18n/index.ts';
import type { ExternalProfile } from '../../oauth/identity-provider.ts';
import { hasTrustedDomain } from '../../providers/profile.ts';
import { TEST_STEPS, type TestFailure, type TestStep } from '../../providers/provider-test-failure.ts';
import { SETTINGS_BY_PRESET } from '../../providers/settings-fields.ts';
import { breakable } from '../../web/html/breakable.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { attentionNotice, notice } from '../../web/html/notices.ts';
import { testStep } from '../../web/html/test-step.ts';
import { dateTime } from '../../web/html/time.ts';
import { adminNavigation, providerUrl } from './layout.ts';
import type { ProviderDetail } from './provider-detail.ts';

export type TestResult =
  /** The checks before the sign-in. `failure` is undefined if all passed. */
  | { kind: 'checked'; failure: TestFailure | undefined }
  | { kind: 'signedIn'; profile: ExternalProfile }
  | { kind: 'expired' }
  | { kind: 'none' };

/** GitHub has no discovery document, keys or id_tokens. */
const GITHUB_STEPS: readonly TestStep[] = ['credentials', 'response', 'token', 'profile'];
/** From this step on, the administrator must sign in at the provider. */
const FIRST_USER_STEP: TestStep = 'response';

/** Steps that may fail because of a wrong issuer URL, which can't be changed. */
const ISSUER_STEPS: readonly TestStep[] = ['document', 'issuer'];

type ProviderTestView = FormState & { provider: ProviderDetail; result: TestResult };

export function providerTestView(view: ProviderTestView): Html {
  const { messages, provider, result } = view;
  const text = messages.identityProviders.test;
  return html`${adminNavigation(messages, 'providers', { within: true })}
${formStatus(view)}
<h1>${text.title(provider.name)}</h1>
<p class="lead">${text.lead}</p>
${result.kind === 'expired' && attentionNotice(text.expired)}
${(result.kind === 'checked' || result.kind === 'signedIn') && resultView(result, view)}
${form({
  action: providerUrl(provider.providerId, 'test'),
  csrf: view.csrf,
  body: html`<p class="actions">
${submitButton({ text: result.kind === 'none' ? text.start : text.again, kind: needsSignIn(result) || result.kind === 'signedIn' ? 'secondary' : 'primary' })}
${buttonLink({ text: text.back, href: providerUrl(provider.providerId), kind: 'secondary' })}
</p>`,
})}`;
}

const needsSignIn = (result: TestResult): boolean =>
  result.kind === 'checked' && result.failure === undefined;

function resultView(
  result: Extract<TestResult, { kind: 'checked' | 'signedIn' }>,
  { messages, provider }: ProviderTestView,
): Html {
  const text = messages.identityProviders.test;
  const steps = provider.preset === 'github' ? GITHUB_STEPS : TEST_STEPS;
  const failure = result.kind === 'checked' ? result.failure : undefined;
  const current = failure?.step ?? (result.kind === 'signedIn' ? undefined : FIRST_USER_STEP);
  const position = current === undefined ? steps.length : steps.indexOf(current);
  return html`<h2>${text.result}</h2>
${result.kind === 'signedIn' && notice(text.done)}
${failure && html`<p class="warning" role="status">${text.failedAt(text.steps[failure.step])}</p>`}
<ol class="test-steps">
${steps.map((id, index) =>
  testStep(
    { id, title: text.steps[id], offset: index - position, isSkipped: failure !== undefined },
    failure?.step === id ? { ...failure, remedy: text.remedies[failure.kind] } : undefined,
    text,
  ),
)}</ol>
${
  failure &&
  ISSUER_STEPS.includes(failure.step) &&
  SETTINGS_BY_PRESET[provider.preset].includes('issuer') &&
  html`<p>${text.issuerFixed} <a href="${providerUrl(provider.providerId, 'remove')}">${text.removeProvider}</a></p>`
}
${
  needsSignIn(result) &&
  html`<p>${text.signInNeeded(provider.name)}</p>
<p class="actions">${buttonLink({ text: text.signIn(provider.name), href: `/signin/provider/${provider.providerId}?purpose=test` })}</p>`
}
${result.kind === 'signedIn' && profileView(result.profile, provider, messages)}`;
}

function profileView(profile: ExternalProfile, provider: ProviderDetail, messages: Messages): Html {
  const text = messages.identityProviders.test;
  const { email, name, picture, acr, authTime } = profile;
  const isMultiFactor = acr !== undefined && provider.options.acrs?.[acr] === '2';
  return html`<h2>${text.received}</h2>
<dl class="facts facts--framed facts--roomy">
<div><dt>${text.issuer}</dt><dd><code class="line">${breakable(profile.issuer)}</code></dd></div>
<div><dt>${text.subject}</dt><dd><code class="line">${profile.subject}</code></dd></div>
<div><dt>${messages.operations.email}</dt><dd>${email === undefined ? text.absent : breakable(email)}</dd></div>
${email !== undefined && html`<div><dt>${text.verification}</dt><dd>${verificationText(profile, provider, messages)}</dd></div>`}
<div><dt>${messages.operations.name}</dt><dd><bdi>${name ?? text.absent}</bdi></dd></div>
<div><dt>${text.picture}</dt><dd>${picture === undefined ? text.absent : html`<code class="line">${breakable(picture)}</code>`}</dd></div>
<div><dt><code>acr</code></dt><dd>${acr === undefined ? text.absent : html`<code>${acr}</code>`}, ${isMultiFactor ? text.multiFactor : text.oneFactor}</dd></div>
<div><dt><code>auth_time</code></dt><dd>${authTime === undefined ? text.absent : dateTime(authTime, messages)}</dd></div>
</dl>`;
}

function verificationText(
  { email = '', emailVerified }: ExternalProfile,
  { preset, trustedEmailDomains }: ProviderDetail,
  { identityProviders: { test: text } }: Messages,
): string {
  if (emailVerified) return text.emailVerified;
  const hasDomains = SETTINGS_BY_PRESET[preset].includes('email_domains');
  return hasDomains && !hasTrustedDomain(email, trustedEmailDomains)
    ? text.domainUntrusted
    : text.emailUnverified;
}
