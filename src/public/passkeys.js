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

/** Milliseconds between refreshes of the challenges, which expire after five minutes. */
const REFRESH_INTERVAL = 4 * 60_000;

const controls = [...document.querySelectorAll('[data-passkey]')];
const kindOf = (control) => control.dataset.passkey;
const optionsOf = (control) => JSON.parse(control.dataset.options);

function showStatus(control, text) {
  const status = control.querySelector('.passkey-status');
  status.textContent = text;
  if (text !== '') status.scrollIntoView({ block: 'nearest' });
}

/** Shows an error below the control. If the user canceled the browser's dialog, the message says so. */
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

/**
 * Marks a button as busy after 300 ms.
 * @returns a function that restores the button
 */
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
 * Asks for a passkey if the submitted form contains no other factor, and then resubmits the form. Uses the same submit
 * button because the button may have a value.
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
    // Submit buttons outside the form element don't require re-authentication.
    if ((submitter !== null && !form.contains(submitter)) || hasOtherFactor()) return;
    // An assertion works only once, but the page stays open during a download, so this disables the input after the
    // submission. If passkey creation canceled the submission, the next one still needs the assertion.
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
    // If `enableReauthentication` has canceled the submission, it resubmits the form afterwards.
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

/** Reloads the page in the background and copies its new challenges. */
async function refreshChallenges() {
  if (document.hidden)
    return document.addEventListener('visibilitychange', refreshChallenges, { once: true });
  try {
    // If the user has signed in from another tab, the page redirects to `next`. That may be an authorization request,
    // which must not run in the background.
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const control of controls) {
      const fresh = page.querySelector(`[data-passkey="${kindOf(control)}"]`);
      if (fresh !== null) control.dataset.options = fresh.dataset.options;
      if (fresh !== null && kindOf(control) === 'sign-in') enableAutofill(control);
    }
  } catch {
    // The browser may be offline, so this waits for the next refresh.
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
  // Browsers support different signals and don't report whether a signal had an effect.
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
  // Tells the server that it can offer to create a passkey after a password sign-in.
  const able = document.querySelector('input[name=able]');
  if (able !== null && (await platformAuthenticatorIsAvailable())) able.disabled = false;
} else {
  for (const offer of document.querySelectorAll('[data-passkey-offer]')) offer.remove();
  for (const control of controls) {
    // Opens the fields for factors other than a passkey.
    if (kindOf(control) === 'confirm' && control.nextElementSibling?.matches('details'))
      control.nextElementSibling.open = true;
    control.replaceWith(
      kindOf(control) === 'create' ? control.querySelector('.passkey-status').dataset.failed : '',
    );
  }
}
