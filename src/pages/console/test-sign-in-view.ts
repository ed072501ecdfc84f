// Views of a test sign-in to an application: the form that starts it, and its result.
import type { Messages } from '../../i18n/index.ts';
import type { OwnedClient } from '../../store/owned-clients.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { codeBlock } from '../../web/html/code.ts';
import type { FormError } from '../../web/html/error-summary.ts';
import { form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { icon } from '../../web/html/icons.ts';
import { attentionNotice, notice } from '../../web/html/notices.ts';
import { tag } from '../../web/html/tag.ts';
import { applicationUrl, consoleNavigation } from './layout.ts';

/** `over`: the test has expired, belongs to another session, or has already shown its result. */
export type TestSignInResult =
  | 'over'
  | { error: string; description: string }
  | {
      /** Undefined without the scope `openid`. */
      idToken: Record<string, unknown> | '' | undefined;
      scopes: string[];
      /** Claims or error of the userinfo endpoint. */
      userinfo: Record<string, unknown>;
    };

interface TestSignInView {
  messages: Messages;
  csrf: string;
  errors: readonly FormError[];
  application: OwnedClient;
  user: { email: string };
  result?: TestSignInResult;
}

export function testSignInForm(
  {
    messages,
    csrf,
    application,
  }: Pick<TestSignInView, 'messages' | 'csrf'> & { application: { clientId: string } },
  kind: 'primary' | 'secondary' = 'primary',
  label: string = messages.integrate.testSignIn.start,
): Html {
  const text = html`${icon('play', 16)} ${label}`;
  const action = applicationUrl(application.clientId, 'try-it');
  return form({ action, csrf, body: submitButton({ text, kind }) });
}

export function testSignInView(view: TestSignInView): Html {
  const { messages, application, result } = view;
  const { testSignIn: text } = messages.integrate;
  return html`${consoleNavigation(messages, application, { below: 'integrate' })}
${formStatus(view)}
<h1>${text.title(application.name)}</h1>
${result === undefined ? html`<p class="lead">${text.lead}</p>` : resultView(result, view)}
${result === undefined ? testSignInForm(view) : nextSteps(result, view)}`;
}

function nextSteps(result: TestSignInResult, view: TestSignInView): Html {
  const { again, back } = view.messages.integrate.testSignIn;
  const hasSucceeded = typeof result === 'object' && 'scopes' in result;
  if (!hasSucceeded) return testSignInForm(view, 'primary', again);
  return html`<div class="actions">
${buttonLink({ text: back, href: applicationUrl(view.application.clientId, 'integrate') })}
${testSignInForm(view, 'secondary', again)}
</div>`;
}

function resultView(result: TestSignInResult, { messages, user }: TestSignInView): Html {
  const { testSignIn: text, ...labels } = messages.integrate;
  if (result === 'over') return html`${attentionNotice(text.over)}`;
  if ('error' in result)
    return html`${attentionNotice(result.error === 'access_denied' ? text.denied : text.refused)}
${codeBlock({ id: 'error', name: text.error, language: 'plain', text: `${result.error}: ${result.description}`, labels })}`;
  const claimsBlock = (id: string, name: string, claims: Record<string, unknown>) =>
    codeBlock({ id, name, language: 'js', text: JSON.stringify(claims, null, 2), labels, visibleLines: 40 });
  return html`${notice(text.done(user.email))}
<dl class="facts"><div><dt>${text.scopes}</dt><dd class="tags">${result.scopes.map((scope) => tag(html`<code>${scope}</code>`))}</dd></div></dl>
<div class="code-pair">
${result.idToken && claimsBlock('id-token', text.idToken, result.idToken)}
${claimsBlock('userinfo', text.userinfo, result.userinfo)}
</div>`;
}
