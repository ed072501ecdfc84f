// Passkeys: sign-in, autofill, re-authentication, creation, and signals to authenticators.
// Controls stay hidden in browsers without WebAuthn.

const {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  platformAuthenticatorIsAvailable,
  sendSignal,
  startAuthentication,
  startRegistration,
} = globalThis.SimpleWebAuthnBrowser;

/** Milliseconds. Challenges expire after five minutes. */
const REFRESH_INTERVAL = 4 * 60_000;

const controls = [...document.querySelectorAll('[data-passkey]')];
const kindOf = (control) => control.dataset.passkey;
const optionsOf = (control) => JSON.parse(control.dataset.options);

function showStatus(control, text) {
  const status = control.querySelector('.passkey-status');
  status.textContent = text;
  if (text !== '') status.scrollIntoView({ block: 'nearest' });
}

function showError(control, { name, cause }) {
  const { canceled, known, failed } = control.querySelector('.passkey-status').dataset;
  const errorName = cause?.name ?? name;
  showStatus(
    control,
    errorName === 'InvalidStateError'
      ? known
      : /^(NotAllowed|Abort)Error$/.test(errorName)
        ? canceled
        : failed,
  );
}

function showBusy(button) {
  if (button === null) return () => {};
  const timer = setTimeout(() => {
    button.ariaBusy = 'true';
  }, 300);
  return () => {
    clearTimeout(timer);
    button.ariaBusy = null;
  };
}

function send(control, response, submitter) {
  const input = control.querySelector('input[type=hidden]');
  input.value = JSON.stringify(response);
  input.disabled = false;
  control.closest('form').requestSubmit(submitter);
}

function enableSignIn(control) {
  const button = control.querySelector('button[type=button]');
  control.hidden = false;
  button.hidden = false;
  button.addEventListener('click', async () => {
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true';
    const stopBusy = showBusy(button);
    showStatus(control, '');
    try {
      send(control, await startAuthentication({ optionsJSON: optionsOf(control) }));
    } catch (error) {
      stopBusy();
      showError(control, error);
      enableAutofill(control);
    } finally {
      button.ariaDisabled = null;
    }
  });
}

/**
 * Asks for a passkey if the form contains no other factor. Then resubmits the form with the same button, which may have
 * a value.
 */
function enableReauthentication(control) {
  const form = control.closest('form');
  const input = control.querySelector('input[type=hidden]');
  const otherFactorFields = [...form.querySelectorAll('[name=current_password], [name=confirmation_code]')];
  const hasOtherFactor = () =>
    otherFactorFields.some((field) => field.checkVisibility() && field.value !== '');
  let isAsking = false;
  form.addEventListener('submit', async (event) => {
    const { submitter } = event;
    // Submit buttons outside the form require no re-authentication.
    if ((submitter !== null && !form.contains(submitter)) || hasOtherFactor()) return;
    // An assertion works only once, and the page stays open during a download. The next submission must therefore ask
    // for a passkey again, unless passkey creation canceled this submission.
    if (!input.disabled) {
      setTimeout(() => {
        input.disabled = !event.defaultPrevented;
      });
      return;
    }
    event.preventDefault();
    if (isAsking) return;
    isAsking = true;
    const stopBusy = showBusy(submitter);
    showStatus(control, '');
    try {
      send(control, await startAuthentication({ optionsJSON: optionsOf(control) }), submitter);
    } catch (error) {
      stopBusy();
      showError(control, error);
    } finally {
      isAsking = false;
    }
  });
  control.hidden = false;
}

/** Suggests passkeys in the email field's autofill until the user presses the passkey button. */
async function enableAutofill(control) {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  try {
    send(control, await startAuthentication({ optionsJSON: optionsOf(control), useBrowserAutofill: true }));
  } catch {
    // The user canceled the autofill or pressed the passkey button.
  }
}

function enableCreation(control) {
  let created;
  control.closest('form').addEventListener('submit', async (event) => {
    // `enableReauthentication` has canceled this submission and will submit the form again.
    if (created !== undefined || event.defaultPrevented) return;
    event.preventDefault();
    const stopBusy = showBusy(event.submitter);
    showStatus(control, '');
    try {
      created = await startRegistration({ optionsJSON: optionsOf(control) });
      send(control, created);
    } catch (error) {
      stopBusy();
      showError(control, error);
    }
  });
  control.hidden = false;
  addEventListener('pageshow', () => {
    created = undefined;
  });
}

async function refreshChallenges() {
  if (document.hidden)
    return document.addEventListener('visibilitychange', refreshChallenges, { once: true });
  try {
    // If the user has signed in from another tab, the page redirects to `next`. The redirect isn't followed because an
    // authorization request must not run in the background.
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const control of controls) {
      const fresh = page.querySelector(`[data-passkey="${kindOf(control)}"]`);
      if (fresh !== null) control.dataset.options = fresh.dataset.options;
      if (fresh !== null && kindOf(control) === 'sign-in') enableAutofill(control);
    }
  } catch {
    // The browser may be offline.
  }
  setTimeout(refreshChallenges, REFRESH_INTERVAL);
}

async function sendSignals({ dataset }) {
  const { rpId: rpID, unknown, userId: userID, ...account } = JSON.parse(dataset.passkeySignal);
  const signals =
    unknown === undefined
      ? [
          { signalName: 'allAcceptedCredentials', rpID, userID, allAcceptedCredentialIDs: account.accepted },
          {
            signalName: 'currentUserDetails',
            rpID,
            userID,
            userName: account.email,
            userDisplayName: account.name,
          },
        ]
      : [{ signalName: 'unknownCredential', rpID, credentialID: unknown }];
  // Not all browsers support all signals.
  for (const signal of signals) await sendSignal(signal).catch(() => {});
}

if (browserSupportsWebAuthn()) {
  for (const signal of document.querySelectorAll('[data-passkey-signal]')) await sendSignals(signal);
  for (const control of controls) {
    if (kindOf(control) === 'create') enableCreation(control);
    else if (kindOf(control) === 'confirm') enableReauthentication(control);
    else enableSignIn(control);
    if (kindOf(control) === 'sign-in') enableAutofill(control);
  }
  if (controls.length > 0) setTimeout(refreshChallenges, REFRESH_INTERVAL);
  // If the form contains `able`, the server can offer to create a passkey.
  const able = document.querySelector('input[name=able]');
  if (able !== null && (await platformAuthenticatorIsAvailable())) able.disabled = false;
} else {
  for (const offer of document.querySelectorAll('[data-passkey-offer]')) offer.remove();
  for (const control of controls) {
    if (kindOf(control) === 'confirm' && control.nextElementSibling?.matches('details'))
      control.nextElementSibling.open = true;
    control.replaceWith(
      kindOf(control) === 'create' ? control.querySelector('.passkey-status').dataset.failed : '',
    );
  }
}
